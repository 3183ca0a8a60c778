// Asking the server. Whoever asks again no longer wants the answer to what was asked before.
import { reachable, type Trouble } from "../store";
import type { Diagnostic } from "./types";

export class Refusal extends Error implements Trouble {
  readonly code: string;
  readonly diagnostics: Diagnostic[];

  constructor(error: { code?: string; message?: string; diagnostics?: Diagnostic[] }) {
    super(error.message ?? "the server gave no reason");
    this.code = error.code ?? "unknown";
    this.diagnostics = error.diagnostics ?? [];
  }
}

async function answer(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: "no-store" });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) reachable.set(false);
    throw error;
  }
  reachable.set(true);
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => ({}));
    throw new Refusal((body as { error?: object }).error ?? { message: `status ${response.status}` });
  }
  return response;
}

function posting(body: object, signal?: AbortSignal): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  };
}

export async function get<T>(path: string): Promise<T> {
  return (await (await answer(path, {})).json()) as T;
}

export async function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  return (await (await answer(path, posting(body, signal))).json()) as T;
}

export async function postForText(path: string, body: object): Promise<string> {
  return await (await answer(path, posting(body))).text();
}

/// One object per line, as they come. Aborting the signal closes the connection, and the work ends.
export async function* stream<T extends { type: string }>(
  path: string,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const response = await answer(path, posting(body, signal));
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line) continue;
      const object = JSON.parse(line) as T & { error?: object };
      if (object.type === "error") throw new Refusal(object.error ?? {});
      yield object;
    }
    if (done) return;
  }
}

/// The newest of several requests: starting one ends the one before, whose answer is dropped.
export class Latest {
  #abort: AbortController | null = null;

  async run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      await work(abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = null;
  }
}

/// Work that follows something quick, such as a slider: never twice at once, and once more if poked in the meantime, so
/// that what is shown keeps moving and ends where the slider does.
export class Pump {
  #busy = false;
  #again = false;
  readonly #work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  async poke(): Promise<void> {
    this.#again = true;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#again) {
      this.#again = false;
      await this.#work();
    }
    this.#busy = false;
  }
}

/// Calls a function when there has been no call for so many milliseconds.
export function debounce(milliseconds: number, action: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/// An error as something to show; an unreachable server has a banner of its own.
export function troubleOf(error: unknown): Trouble {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  return { code: "unreachable", message: "the server does not answer" };
}
