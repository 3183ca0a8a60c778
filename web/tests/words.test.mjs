// The words that the editor offers are words of the language: the server understands every one of them.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { missing, startServer } from "./studio.mjs";

async function readWords() {
  const file = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "src", "editor", "words.ts");
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

describe("words of the editor", { skip: missing() || false }, () => {
  let server;
  let words;
  before(async () => {
    server = await startServer();
    words = await readWords();
  });
  after(() => server?.stop());

  async function understood(text) {
    const answer = await fetch(new URL("/api/parse", server.url), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text, kind: "formula" }),
    });
    const rule = await answer.json();
    assert.ok(rule.ok, `${text}: ${JSON.stringify(rule.diagnostics ?? rule)}`);
  }

  test("are understood", async () => {
    for (const { label } of words.kUnary) await understood(`${label} Q_a`);
    for (const { label } of words.kBinary) await understood(`Q_a ${label} Q_b`);
    for (const { apply } of words.kCounts) await understood(`${apply}Q_a] = 1`);
    for (const { label } of words.kPredicates) await understood(label === "mod" ? "mod(3,1)" : label);
    for (const { label } of words.kConstants) await understood(label);
    for (const letter of words.kLetters) await understood("WRSU".includes(letter) ? `Q_a ${letter} Q_b` : `${letter} Q_a`);
  });
});
