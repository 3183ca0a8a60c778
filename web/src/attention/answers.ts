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

interface Row {
  title: string;
  name: string;
  cells: string[];
  hints?: string[];
  wrong: ReadonlySet<number>;
}

const kNothing: ReadonlySet<number> = new Set();

function cellClass(row: Row, index: number): string {
  if (row.wrong.has(index + 1)) return "wrong";
  return row.cells[index] === "1" && row.name !== "position" && row.name !== "symbol" ? "true" : "";
}

function makeRow(row: Row): HTMLElement {
  return h(
    "tr",
    { class: row.name, "data-testid": `answers-${row.name}` },
    h("th", { scope: "row" }, row.title),
    ...row.cells.map(() => h("td")),
  );
}

/// Touches only what has changed: most moves of the slider change nothing here.
function updateRow(element: HTMLTableRowElement, row: Row): void {
  row.cells.forEach((text, index) => {
    const cell = element.cells[index + 1];
    if (!cell) return;
    const name = cellClass(row, index);
    if (cell.textContent !== text) cell.textContent = text;
    if (cell.className !== name) cell.className = name;
    const hint = row.hints?.[index] ?? "";
    if (cell.title !== hint) cell.title = hint;
  });
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

/// The network of another recipe, and what came of the word there.
export interface Beside {
  recipe: string;
  result: WordResult;
}

function crosses(name: string, n: number, wrong: ReadonlySet<number>): Row {
  return { title: "", name, cells: Array.from({ length: n }, (_, index) => (wrong.has(index + 1) ? "✕" : "")), wrong };
}

function rowsOf(result: WordResult, beside: Beside | null): Row[] {
  const { n, expected, got, raw } = result;
  const indices = Array.from({ length: n }, (_, index) => index);
  const wrong = new Set(result.wrong);
  const answers = (title: string, name: string, answer: Answer, bad: ReadonlySet<number>): Row =>
    ({ title, name, cells: indices.map((index) => answerAt(answer, index)), hints: indices.map((index) => allScores(answer, index)), wrong: bad });
  const network = answers("network", "network", got, wrong);
  if (got.kind !== "scores") network.hints = indices.map((index) => `output coordinate ${valueText(raw[index] ?? null)}`);
  const rows = [
    { title: "position", name: "position", cells: indices.map((index) => String(index + 1)), wrong: kNothing },
    { title: "word", name: "symbol", cells: result.symbols.map(shownBlank), wrong: kNothing },
    answers("rule", "rule", expected, kNothing),
    network,
    crosses("marks", n, wrong),
  ];
  if (!beside) return rows;
  const other = new Set(beside.result.wrong);
  return [...rows, answers(beside.recipe, "beside", beside.result.got, other), crosses("marks-beside", n, other)];
}

export class Answers {
  readonly element = h("div", { class: "answers-box" });
  readonly #verdict = h("div");
  readonly #body = h("tbody");
  readonly #table = h("table", { class: "answers" }, this.#body);
  #made = "";

  constructor() {
    this.element.append(
      this.#verdict,
      h("div", { class: "answer-scroll scroll", tabindex: 0, role: "region", "aria-label": "Answers at every position" }, this.#table),
    );
  }

  show(result: WordResult | null, beside: Beside | null): void {
    if (!result) return;
    fill(this.#verdict, verdict(result));
    const rows = rowsOf(result, beside);
    const make = `${result.n} ${rows.map((row) => row.title + row.name).join(" ")}`;
    if (make !== this.#made) {
      this.#made = make;
      this.#table.classList.toggle("dense", result.n > 48);
      fill(this.#body, ...rows.map(makeRow));
    }
    rows.forEach((row, index) => updateRow(this.#body.rows[index] as HTMLTableRowElement, row));
  }
}
