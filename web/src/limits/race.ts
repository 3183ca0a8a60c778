// Long words through two networks: the compiled one, whose temperature knows the length, and the same with the
// temperature that it has at one length, as an ordinary transformer has.
import { Latest, stream, troubleOf } from "../api/request";
import type { LengthLine } from "../api/types";
import { Signal } from "../signal";
import { compiled, state } from "../store";

export interface Track {
  lines: readonly LengthLine[];
  /// Under way, done, or why not.
  status: "idle" | "running" | "done" | "cancelled" | "failed";
  message: string;
}

export const kIdle: Track = { lines: [], status: "idle", message: "" };

type Line = { type: "start"; lengths: number[] } | LengthLine | { type: "done" } | { type: "cancelled"; reason?: string };

class Runner {
  readonly track = new Signal<Track>(kIdle);
  readonly #latest = new Latest();

  async run(fixedAt: number | null): Promise<void> {
    const model = compiled.get()?.model;
    if (!model) return;
    const { limitFormat: format, limitLength: length, limitWords, word } = state();
    const needsWord = limitWords === "repeat" || limitWords === "stretch";
    const body = { model, format, length, seed: 1, fixed_at: fixedAt, words: limitWords, ...(needsWord ? { word } : {}) };
    await this.#latest.run(async (signal) => {
      this.track.set({ lines: [], status: "running", message: "" });
      try {
        for await (const line of stream<Line>("/api/length", body, signal)) this.#take(line, signal);
      } catch (error) {
        if (!signal.aborted) this.track.set({ ...this.track.get(), status: "failed", message: troubleOf(error).message });
      }
    });
  }

  #take(line: Line, signal: AbortSignal): void {
    if (signal.aborted) return;
    const now = this.track.get();
    if (line.type === "length") this.track.set({ ...now, lines: [...now.lines, line] });
    if (line.type === "done") this.track.set({ ...now, status: "done" });
    if (line.type === "cancelled") this.track.set({ ...now, status: "cancelled", message: "stopped: it took too long" });
  }

  stop(): void {
    this.#latest.stop();
    const now = this.track.get();
    if (now.status === "running") this.track.set({ ...now, status: "cancelled", message: "stopped" });
  }

  reset(): void {
    this.#latest.stop();
    this.track.set(kIdle);
  }
}

export const knowing = new Runner();
export const ordinary = new Runner();

export function race(): void {
  void knowing.run(null);
  void ordinary.run(state().fixedAt);
}

/// Runs the words that are set, unless that has been done for this network.
export function raceOnce(): void {
  if (compiled.get() && knowing.track.get() === kIdle) race();
}

compiled.on(() => {
  knowing.reset();
  ordinary.reset();
});
