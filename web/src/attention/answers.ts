// The word with the rule's answer and the network's below it, position by position. Wrong ones have a cross, not only a
// colour.
import type { Answer, Score, WordResult } from "../api/types";
import { fill, h } from "../dom";
import { lengthText, plural, valueText } from "../numbers";

function bestScore(scores: readonly Score[]): Score | null {
  return scores.reduce<Score | null>((best, next) => (best && best.value >= next.value ? best : next), null);
}

/// What stands at a position, in few characters; of scores the best.
export function answerAt(answer: Answer, index: number): string {
  switch (answer.kind) {
    case "truth":
      return answer.values[index] ? "1" : "0";
    case "numbers":
      return valueText(answer.values[index] ?? null);
    case "symbols":
      return (answer.values[index] ?? []).join("") || "–";
    case "scores": {
      const best = bestScore(answer.values[index] ?? []);
      return best ? best.symbol || valueText(best.value) : "–";
    }
  }
}

/// The scores of a position in full; nothing for other answers, which are short.
function allScores(answer: Answer, index: number): string {
  if (answer.kind !== "scores") return "";
  return (answer.values[index] ?? []).map(({ symbol, value }) => `${symbol} ${value}`).join(", ");
}

function row(title: string, cells: string[], className: string, wrong: ReadonlySet<number>, hints?: string[]): HTMLElement {
  const truth = className !== "position" && className !== "symbol";
  return h(
    "tr",
    { class: className, "data-testid": `answers-${className}` },
    h("th", { scope: "row" }, title),
    ...cells.map((cell, index) => {
      const bad = wrong.has(index + 1);
      return h("td", { class: bad ? "wrong" : truth && cell === "1" ? "true" : "", title: hints?.[index] || null }, cell);
    }),
  );
}

const shownBlank = (symbol: string): string => (symbol === " " ? "␣" : symbol === "\n" ? "⏎" : symbol);

function verdict(result: WordResult): HTMLElement {
  const { wrong, accepted, n, certified } = result;
  const words = accepted ? (accepted.got ? "accepted" : "rejected") : "";
  const agreement = wrong.length === 0
    ? h("span", { class: "agrees" }, "✓ rule and network agree at every position")
    : h("span", { class: "differs" }, `✕ ${plural(wrong.length, "position")} wrong: ${wrong.slice(0, 12).join(", ")}${wrong.length > 12 ? ", …" : ""}`);
  return h("p", { class: "verdict", "data-testid": "verdict", "data-wrong": wrong.join(" ") }, `n = ${n}`, words ? ` · ${words} · ` : " · ", agreement,
    certified === null || certified === 0 ? null : ` · certified up to n = ${lengthText(certified)}`);
}

/// The verdict in a sentence, for those who listen.
export function spoken(result: WordResult | null): string {
  if (!result) return "";
  const { wrong, accepted } = result;
  const said = accepted ? `The network ${accepted.got ? "accepts" : "rejects"}. ` : "";
  return said + (wrong.length === 0 ? "Rule and network agree." : `${plural(wrong.length, "position")} wrong.`);
}

export function showAnswers(parent: HTMLElement, result: WordResult | null, beside: { recipe: string; result: WordResult } | null): void {
  if (!result) return fill(parent);
  const none: ReadonlySet<number> = new Set();
  const wrong = new Set(result.wrong);
  const indices = result.symbols.map((_, index) => index);
  const rows = [
    row("position", indices.map((index) => String(index + 1)), "position", none),
    row("word", result.symbols.map(shownBlank), "symbol", none),
    row("rule", indices.map((index) => answerAt(result.expected, index)), "rule", none, indices.map((index) => allScores(result.expected, index))),
    row("network", indices.map((index) => answerAt(result.got, index)), "network", wrong, indices.map((index) => allScores(result.got, index) || `output coordinate ${valueText(result.raw[index] ?? null)}`)),
    row("", indices.map((index) => (wrong.has(index + 1) ? "✕" : "")), "marks", wrong),
  ];
  if (beside) {
    const other = new Set(beside.result.wrong);
    rows.push(row(beside.recipe, indices.map((index) => answerAt(beside.result.got, index)), "beside", other));
    rows.push(row("", indices.map((index) => (other.has(index + 1) ? "✕" : "")), "marks-beside", other));
  }
  fill(
    parent,
    verdict(result),
    h(
      "div",
      { class: "answer-scroll scroll", tabindex: 0, role: "region", "aria-label": "Answers at every position" },
      h("table", { class: `answers ${result.n > 48 ? "dense" : ""}` }, h("tbody", {}, ...rows)),
    ),
  );
}
