// The state of the page (what a link holds) and the session (what the server said about it).
import type { About, Compiled, FormatCertificate, ParseResult, WordResult } from "./api/types";
import { Signal } from "./signal";
import { kDefault, type State } from "./state";

const current = new Signal<State>(kDefault);

export function state(): State {
  return current.get();
}

/// Changes some fields and tells everybody, once, what was and what is.
export function change(fields: Partial<State>): void {
  current.set({ ...current.get(), ...fields });
}

export function onChange(listener: (now: State, before: State) => void): void {
  current.on(listener);
}

/// Whether any of these fields differs; for listeners that care for a part.
export function differs(a: State, b: State, ...fields: (keyof State)[]): boolean {
  return fields.some((field) => a[field] !== b[field]);
}

/// What went wrong with the last request of a kind, for people.
export interface Trouble {
  code: string;
  message: string;
}

export const about = new Signal<About | null>(null);
export const reachable = new Signal<boolean>(true);
/// Of the text as it stands; null while nothing is known.
export const parsed = new Signal<ParseResult | null>(null);
/// The network on show. It stays while a mistake in the text is being mended; `compileTrouble` says that it is an older one.
export const compiled = new Signal<Compiled | null>(null);
export const compileTrouble = new Signal<Trouble | null>(null);
export const compiling = new Signal<boolean>(false);
/// The network beside, of another recipe.
export const compiledBeside = new Signal<Compiled | null>(null);
export const besideTrouble = new Signal<Trouble | null>(null);
export const wordResult = new Signal<WordResult | null>(null);
export const wordBeside = new Signal<WordResult | null>(null);
export const wordTrouble = new Signal<Trouble | null>(null);
/// By format, of the network on show.
export const certificate = new Signal<ReadonlyMap<string, FormatCertificate>>(new Map());
