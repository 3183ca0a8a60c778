// Builds the page into three files, which `quench studio` carries: node build.mjs [folder], by default build/web of the
// repository. Nothing in them refers to any other place.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(here, "..", "build", "web"));

await mkdir(folder, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/main.ts" },
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});
await build({
  absWorkingDir: here,
  entryPoints: { studio: "src/style/studio.css" },
  outdir: folder,
  bundle: true,
  minify: true,
  logLevel: "warning",
});
await copyFile(path.join(here, "src", "index.html"), path.join(folder, "index.html"));
