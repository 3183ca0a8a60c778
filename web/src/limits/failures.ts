// The first failures that are known: found by words that are hard for the heads, format by format.
import { Latest, stream, troubleOf } from "../api/request";
import type { Failure } from "../api/types";
import { Signal } from "../signal";
import { certificate, compiled } from "../store";

export interface Finding {
  searched: number;
  failure: Failure | null;
}

type Line =
  | { type: "start" }
  | { type: "progress"; done?: number; total?: number }
  | { type: "cancelled"; reason?: string }
  | ({ type: "done" } & Finding);

/// By format, of the network on show.
export const findings = new Signal<ReadonlyMap<string, Finding>>(new Map());
/// What is being done, for people; empty if nothing is.
export const searching = new Signal<string>("");

const latest = new Latest();
const kShortest = 512;
const kLongest = 2048;

/// A failure is worth looking for somewhat beyond what is certified.
function longestIn(format: string): number {
  const any = certificate.get().get(format)?.entries.find((entry) => entry.summation === "any");
  return Math.min(kLongest, Math.max(kShortest, 4 * (any?.length ?? 0)));
}

compiled.on(() => {
  stopSearch();
  findings.set(new Map());
});

export function stopSearch(): void {
  latest.stop();
  searching.set("");
}

async function searchIn(format: string, model: string, signal: AbortSignal): Promise<void> {
  const longest = longestIn(format);
  const what = `${format}: looking for words that fail, up to n = ${longest}`;
  searching.set(what);
  for await (const line of stream<Line>("/api/failure", { model, format, longest, seed: 1 }, signal)) {
    if (signal.aborted) return;
    if (line.type === "progress" && line.total) searching.set(`${what}: ${Math.round((100 * (line.done ?? 0)) / line.total)} %`);
    if (line.type === "done") findings.set(new Map(findings.get()).set(format, { searched: line.searched, failure: line.failure }));
  }
}

export async function search(formats: readonly string[]): Promise<void> {
  const model = compiled.get()?.model;
  if (!model) return;
  await latest.run(async (signal) => {
    try {
      for (const format of formats) await searchIn(format, model, signal);
      searching.set("");
    } catch (error) {
      if (!signal.aborted) searching.set(troubleOf(error).message);
    }
  });
}
