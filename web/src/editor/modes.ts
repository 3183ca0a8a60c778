// Highlighting: one small tokenizer per language, since colours need no parse tree.
import { LanguageSupport, StreamLanguage, type StringStream } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { Kind } from "../state";
import { kBinary, kConstants, kLetters, kPredicates, kStatements, kUnary } from "./words";

const labels = (words: readonly { label: string }[]): string[] => words.map((word) => word.label);
export const kOperators: ReadonlySet<string> = new Set([...labels(kUnary), ...labels(kBinary), ...kLetters]);
const kPredicateNames = new Set(labels(kPredicates));
const kStatementNames = new Set(labels(kStatements));
const kConstantNames = new Set(labels(kConstants));
const kProgramKeywords = new Set(["rightmost", "leftmost", "psum", "mean", "fun", "alphabet", "score"]);
const kProgramOperators = new Set(["not", "and", "or", "xor", "in"]);
const kProgramBuiltin = new Set(["pos", "in"]);

/// Comments, quotes, numbers and symbol tests look the same in formulas and programs.
function shared(stream: StringStream): string | null | undefined {
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/^Q_[\p{L}\p{N}_]+/u) || stream.match(/^Q\[\s*'(?:[^'\\]|\\.)*'?\s*\]?/u)) return "atom";
  if (stream.match(/^'(?:[^'\\]|\\.)*'?/u)) return "atom";
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/u)) return "string";
  if (stream.match(/^\d+(\.\d+)?/)) return "number";
  return undefined;
}

const formula = StreamLanguage.define<object>({
  name: "quench-formula",
  token(stream) {
    const common = shared(stream);
    if (common !== undefined) return common;
    if (stream.match(/^(#[<>←→]?|[←→]#)(?=\s*\[)/u)) return "keyword";
    if (stream.match(/^(<->|->|<=|>=|!=|==|&&|\|\||[!&|<>=¬∧∨→↔⊻⊖⊕≤≥≠+*\-])/u)) return "operator";
    const word = stream.match(/^[\p{L}_⊤⊥][\p{L}\p{N}_]*/u);
    if (Array.isArray(word)) {
      const name = word[0] ?? "";
      if (kOperators.has(name)) return "keyword";
      if (kStatementNames.has(name)) return "definitionKeyword";
      if (kPredicateNames.has(name)) return "typeName";
      if (kConstantNames.has(name) || name === "⊤" || name === "⊥") return "bool";
      return "variableName";
    }
    stream.next();
    return "punctuation";
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{"] } },
});

const program = StreamLanguage.define<object>({
  name: "quench-program",
  token(stream) {
    const common = shared(stream);
    if (common !== undefined) return common;
    if (stream.match(/^(<->|->|<=|>=|!=|[!&|<>=+*\-?:])/)) return "operator";
    if (stream.match("#")) return "keyword";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u);
    if (Array.isArray(word)) {
      const name = word[0] ?? "";
      const called = stream.peek() === "(";
      if (kProgramBuiltin.has(name) && called) return "typeName";
      if (kProgramKeywords.has(name)) return "keyword";
      if (kProgramOperators.has(name)) return "operatorKeyword";
      if (name === "true" || name === "false") return "bool";
      return called ? "variableName" : "propertyName";
    }
    stream.next();
    return "punctuation";
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{"] } },
});

const regex = StreamLanguage.define<object>({
  name: "quench-regex",
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^\\./u) || stream.match(/^'(?:[^'\\]|\\.)*'?/u)) return "atom";
    if (stream.match(/^\{\d*,?\d*\}/)) return "number";
    if (stream.match(/^[*+?|&~^$!\-]/)) return "operator";
    if (stream.match(/^[()[\]{}.,]/)) return "punctuation";
    stream.next();
    return "atom";
  },
  languageData: { closeBrackets: { brackets: ["(", "["] } },
});

const kModes: Partial<Record<Kind, StreamLanguage<object>>> = { formula, program, regex };

/// Automata are plain text.
export function mode(kind: Kind): Extension {
  const language = kModes[kind];
  return language ? new LanguageSupport(language) : [];
}
