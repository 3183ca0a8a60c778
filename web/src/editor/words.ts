// The words of the two languages with what they mean, for highlighting and completion. docs/language.md and
// docs/programs.md are the reference; tests/words.test.mjs holds this table against the program.

export interface Word {
  label: string;
  detail: string;
  apply?: string;
}

export const kUnary: readonly Word[] = [
  { label: "prev", detail: "at the position before; false at 1" },
  { label: "next", detail: "at the position after; false at n" },
  { label: "once", detail: "at some j ≤ i (O)" },
  { label: "historically", detail: "at every j ≤ i (H)" },
  { label: "eventually", detail: "at some j ≥ i (F)" },
  { label: "always", detail: "at every j ≥ i (G)" },
  { label: "weak_prev", detail: "at the position before; true at 1 (Z)" },
  { label: "weak_next", detail: "at the position after; true at n (N)" },
  { label: "not", detail: "negation (!)" },
];

export const kBinary: readonly Word[] = [
  { label: "since", detail: "q at some j ≤ i, and p at j, …, i" },
  { label: "until", detail: "q at some j ≥ i, and p at i, …, j" },
  { label: "S", detail: "q at some j ≤ i, and p at j+1, …, i" },
  { label: "U", detail: "q at some j ≥ i, and p at i, …, j−1" },
  { label: "weak_until", detail: "p U q, or p at every j ≥ i (W)" },
  { label: "release", detail: "q up to some p, or always (R)" },
  { label: "and", detail: "both (&)" },
  { label: "or", detail: "one or both (|)" },
  { label: "xor", detail: "one but not both" },
  { label: "implies", detail: "q whenever p (->)" },
  { label: "iff", detail: "p exactly when q (<->)" },
];

export const kCounts: readonly Word[] = [
  { label: "#<[…]", detail: "number of j ≤ i", apply: "#<[" },
  { label: "#>[…]", detail: "number of j ≥ i", apply: "#>[" },
  { label: "#[…]", detail: "number of all j", apply: "#[" },
];

export const kPredicates: readonly Word[] = [
  { label: "odd", detail: "of the position or a count" },
  { label: "even", detail: "of the position or a count" },
  { label: "mod", detail: "mod(m,r): leaves the remainder r", apply: "mod(" },
  { label: "prime", detail: "a prime number" },
  { label: "square", detail: "0, 1, 4, 9, …" },
  { label: "cube", detail: "0, 1, 8, 27, …" },
  { label: "pow2", detail: "1, 2, 4, 8, …" },
  { label: "triangular", detail: "0, 1, 3, 6, …" },
  { label: "fibonacci", detail: "0, 1, 2, 3, 5, 8, …" },
  { label: "first", detail: "the first position" },
  { label: "last", detail: "the last position" },
];

export const kStatements: readonly Word[] = [
  { label: "let", detail: "names a formula or a term", apply: "let " },
  { label: "pred", detail: "names a predicate", apply: "pred " },
  { label: "alphabet", detail: "declares the symbols", apply: "alphabet {" },
];

export const kConstants: readonly Word[] = [
  { label: "true", detail: "always" },
  { label: "false", detail: "never" },
];

/// One letter each, too common to be offered, but coloured as operators.
export const kLetters = ["Y", "X", "O", "H", "F", "G", "Z", "N", "W", "R", "S", "U"];

export const kProgramWords: readonly Word[] = [
  { label: "rightmost", detail: "rightmost j [M, S] V : D", apply: "rightmost j [j <= i, ] " },
  { label: "leftmost", detail: "leftmost j [M, S] V : D", apply: "leftmost j [j >= i, ] " },
  { label: "psum", detail: "psum j [M] V: a sum over positions", apply: "psum j [j <= i] " },
  { label: "mean", detail: "mean j [M] V: a share of positions", apply: "mean j [j <= i] " },
  { label: "fun", detail: "defines a function", apply: "fun " },
  { label: "alphabet", detail: "mentions symbols", apply: "alphabet {" },
  { label: "score", detail: "score['a'](i) = …", apply: "score['" },
  { label: "in", detail: "the symbol at a position, or membership" },
  { label: "pos", detail: "the position, from 1", apply: "pos(" },
  { label: "not", detail: "negation" },
  { label: "and", detail: "both" },
  { label: "or", detail: "one or both" },
  { label: "xor", detail: "one but not both" },
  { label: "true", detail: "always" },
  { label: "false", detail: "never" },
];
