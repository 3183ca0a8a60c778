// What the server says: docs/studio.md, as types.

export interface Diagnostic {
  code: string;
  severity: "error" | "warning";
  message: string;
  line: number;
  column: number;
  from: number;
  to: number;
  help: string[];
  explanation: string;
}

/// A subexpression of the rule: what has one colour.
export interface Part {
  id: number;
  operator: string;
  text: string;
  name: string;
  from: number | null;
  to: number | null;
  operands: number[];
}

export interface ParseResult {
  ok: boolean;
  kind: string;
  diagnostics: Diagnostic[];
  text?: string;
  symbols?: string[];
  separated?: boolean;
  answers?: string;
  parts?: Part[];
}

export interface Example {
  name: string;
  file: string;
  kind: string;
  sentence: string;
  text: string;
  word: string;
  accepts: string[];
  rejects: string[];
}

export interface Limits {
  text_bytes: number;
  word: number;
  length: number;
  slow_length: number;
  [name: string]: number;
}

export interface About {
  version: string;
  formats: { name: string; usual: boolean; linear: boolean }[];
  recipes: { name: string; theorem: string }[];
  kinds: string[];
  limits: Limits;
  examples: Example[];
}

export interface CompileOptions {
  recipe: string;
  decoder: boolean;
  gamma: number | null;
  digits: boolean;
  length: number | null;
}

export interface Summary {
  logic: string;
  recipe: string;
  kind: string;
  layers: number;
  heads: number;
  width: number;
  hidden_units: number;
  parameters: number;
  nonzero_parameters: number;
  temperatures: string[];
  masks: string[];
  position_encodings: string[];
  source: string;
  fingerprint: string;
}

export interface StageTable {
  title: string;
  columns: string[];
  rows: { cells: string[]; parts: number[] }[];
}

export interface StageListing {
  stage: string;
  text: string;
  cut: boolean;
  tables?: StageTable[];
}

export interface Access {
  coordinate: number;
  tenant: number | null;
}

export interface Head {
  id: string;
  layer: number;
  head: number;
  name: string;
  mask: string;
  temperature: string;
  weighting: string;
  intended: string;
  structure: string;
  lemma: string;
  gamma: number | null;
  parts: number[];
  queries: Access[];
  keys: Access[];
  values: Access[];
  writes: Access[];
}

export interface Unit {
  unit: number;
  bias: number;
  reads: Access[];
  writes: Access[];
  parts: number[];
}

/// What a coordinate holds from after sublayer `from` until sublayer `to` has read it for the last time.
export interface Tenant {
  id: number;
  coordinate: number;
  name: string;
  from: number;
  to: number;
  boolean: boolean;
  low: number | null;
  high: number | null;
  parts: number[];
}

export interface Network {
  width: number;
  sublayers: number;
  symbols: string[];
  output: { kind: string; coordinates: number[]; tenants: number[] };
  position_encodings: { coordinate: number; formula: string }[];
  tenants: Tenant[];
  layers: { heads: Head[]; feed_forward: { units: Unit[]; biases: [number, number][] } }[];
}

export interface Compiled {
  model: string;
  cached: boolean;
  milliseconds: number;
  rule: ParseResult;
  summary: Summary;
  stages: StageListing[];
  network: Network;
}

/// A score is of a symbol; of none where there is only one.
export interface Score {
  symbol: string;
  value: number;
}

export type Answer =
  | { kind: "truth"; values: boolean[] }
  | { kind: "numbers"; values: number[] }
  | { kind: "symbols"; values: string[][] }
  | { kind: "scores"; values: Score[][] };

export interface HeadView {
  id: string;
  weights?: string;
  entropy: (number | null)[];
  mean_entropy: number | null;
  mean_perplexity: number | null;
}

export interface CoordinateView {
  tenant: number;
  sublayer: number;
  values: (number | null)[];
  distance: number | null;
}

export interface WordResult {
  n: number;
  symbols: string[];
  milliseconds: number;
  expected: Answer;
  got: Answer;
  raw: (number | null)[];
  wrong: number[];
  accepted: { expected: boolean; got: boolean } | null;
  certified: number | null;
  heads: HeadView[];
  coordinates: CoordinateView[];
}

export interface CertificateEntry {
  summation: string;
  length: number;
  unlimited: boolean;
  limiting_head: string;
  head: string | null;
  reason: string;
}

export interface FormatCertificate {
  format: string;
  milliseconds: number;
  entries: CertificateEntry[];
}

export interface Failure {
  length: number;
  position: number;
  expected: string;
  got: string;
  family: string;
  whole: boolean;
}

export interface LengthLine {
  type: "length";
  length: number;
  wrong: number;
  first_wrong: number | null;
  milliseconds: { network: number; rule: number };
  around: null | { from: number; symbols: string[]; expected: string[]; got: string[] };
}
