// Completion: the words of the language, the names and symbols that the text already has.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { state } from "../store";
import { kBinary, kConstants, kCounts, kPredicates, kProgramWords, kStatements, kUnary, type Word } from "./words";

function options(words: readonly Word[], type: string, boost = 0): Completion[] {
  return words.map((word) => ({ ...word, type, boost }));
}

const kFormula: readonly Completion[] = [
  ...options(kUnary, "keyword"),
  ...options(kBinary, "keyword"),
  ...options(kCounts, "function"),
  ...options(kPredicates, "type"),
  ...options(kStatements, "keyword", -1),
  ...options(kConstants, "constant"),
];
const kProgram: readonly Completion[] = options(kProgramWords, "keyword");

function uniqueMatches(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))];
}

/// Names that stand left of a definition, and symbols that are tested somewhere.
function ownNames(text: string, program: boolean): Completion[] {
  const defined = program
    ? uniqueMatches(text, /^\s*(?:fun\s+)?([\p{L}_][\p{L}\p{N}_]*)\s*\(/gmu)
    : uniqueMatches(text, /\b(?:let|pred)\s+([\p{L}_][\p{L}\p{N}_]*)/gu);
  const symbols = uniqueMatches(text, /(Q_[\p{L}\p{N}_]+)/gu);
  return [
    ...defined.map((label) => ({ label, detail: "defined here", type: "variable", boost: 2 })),
    ...symbols.map((label) => ({ label, detail: "a symbol of this rule", type: "constant", boost: 1 })),
  ];
}

export function complete(context: CompletionContext): CompletionResult | null {
  const kind = state().kind;
  if (kind !== "formula" && kind !== "program") return null;
  const word = context.matchBefore(/[\p{L}_#][\p{L}\p{N}_<>]*/u);
  if (!word && !context.explicit) return null;
  const line = context.state.doc.lineAt(context.pos).text.slice(0, context.pos);
  if (line.includes("//")) return null;
  const own = ownNames(context.state.doc.toString(), kind === "program").filter(
    (option) => option.label !== word?.text,
  );
  return {
    from: word?.from ?? context.pos,
    options: [...own, ...(kind === "program" ? kProgram : kFormula)],
    validFor: /^[\p{L}_#][\p{L}\p{N}_<>]*$/u,
  };
}
