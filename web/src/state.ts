// All that a link must hold to show the same page again.

export type Kind = "formula" | "program" | "regex" | "dfa" | "att" | "hoa";
export const kKinds: readonly Kind[] = ["formula", "program", "regex", "dfa", "att", "hoa"];
export type Tab = "network" | "attention" | "limits" | "take";
export const kTabs: readonly Tab[] = ["network", "attention", "limits", "take"];
export type Stage = "ast" | "ir" | "schedule" | "layout" | "model";
export const kStages: readonly Stage[] = ["ast", "ir", "schedule", "layout", "model"];

/// A value set by hand: what the tenant of a coordinate holds at `position` (from 1).
export interface Patch {
  tenant: number;
  position: number;
  value: number;
}

export interface State {
  kind: Kind;
  text: string;
  recipe: string;
  decoder: boolean;
  digits: boolean;
  gamma: number | null;
  length: number | null;
  tab: Tab;
  stage: Stage;
  word: string;
  /// Steps of the temperature slider: 0 as compiled, see attention/warmth.ts.
  warmth: number;
  format: string;
  hard: boolean;
  /// The sublayer up to which one looks, 0 the embedding; null: all of them.
  depth: number | null;
  ablate: readonly string[];
  patch: readonly Patch[];
  /// The recipe of the network beside; none if empty.
  beside: string;
  /// Of the long words: format, length, how they are made, and the length at which the ordinary network's temperature stays.
  limitFormat: string;
  limitLength: number;
  limitWords: string;
  fixedAt: number;
}

export const kDefault: State = {
  kind: "formula",
  text: "",
  recipe: "auto",
  decoder: false,
  digits: false,
  gamma: null,
  length: null,
  tab: "network",
  stage: "ir",
  word: "",
  warmth: 0,
  format: "f64",
  hard: false,
  depth: null,
  ablate: [],
  patch: [],
  beside: "",
  limitFormat: "f32",
  limitLength: 16384,
  limitWords: "repeat",
  fixedAt: 64,
};
