// Builds the page, which `quench studio` carries: node build.mjs [folder], by default build/web of the repository. Nothing
// in its files refers to any other place. licences.txt has the licences of the packages that are in it.
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(here, "..", "build", "web"));

/// The packages that esbuild took something from.
function packagesOf(metafile) {
  const names = Object.keys(metafile.inputs).map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

async function licenceOf(name) {
  const text = await readFile(path.join(here, "node_modules", name, "LICENSE"), "utf8");
  return `${name}\n${"=".repeat(name.length)}\n\n${text.trim()}\n`;
}

await mkdir(folder, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/main.ts" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
});
await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/style/studio.css" },
  outdir: folder,
  bundle: true,
  minify: true,
  logLevel: "warning",
});
const licences = await Promise.all(packagesOf(metafile).map(licenceOf));
await writeFile(path.join(folder, "licences.txt"), licences.join("\n\n"));
await copyFile(path.join(here, "src", "index.html"), path.join(folder, "index.html"));
