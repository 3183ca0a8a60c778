// A head with its map: what it is, how sharp it looks, and a switch to turn it off.
import type { Head, HeadView, WordResult } from "../api/types";
import { colourIndex, colourOf } from "../colours";
import { h } from "../dom";
import { linked } from "../links";
import { change, state } from "../store";
import { cellAt, decodeWeights, drawMap, type Weights } from "./map";

export const kMapSide = 168;

export function toggleAblation(id: string): void {
  const { ablate } = state();
  change({ ablate: ablate.includes(id) ? ablate.filter((other) => other !== id) : [...ablate, id] });
}

const entropyText = (value: number | null): string => (value === null ? "–" : value.toFixed(3));

/// Says in words what is under the pointer.
function readout(canvas: HTMLCanvasElement, line: HTMLElement, card: Card): void {
  const show = (row: number, column: number): void => {
    const { result, weights } = card;
    if (!result || !weights) return;
    const weight = weights.values[row * weights.n + column] ?? 0;
    const key = weight < 0 ? "hidden by the mask" : weight.toPrecision(3);
    line.textContent = `${row + 1} ‘${result.symbols[row] ?? ""}’ → ${column + 1} ‘${result.symbols[column] ?? ""}’: ${key}`;
  };
  canvas.addEventListener("pointermove", (event) => {
    const cell = card.result && cellAt(canvas, event, card.result.n);
    if (cell) show(cell.row, cell.column);
  });
  canvas.addEventListener("pointerleave", () => (line.textContent = ""));
}

/// A card stays while words and temperatures change, and only its map and numbers are drawn again.
export class Card {
  readonly element: HTMLElement;
  result: WordResult | null = null;
  weights: Weights | null = null;
  readonly #head: Head;
  readonly #canvas = h("canvas", { role: "img", width: kMapSide, height: kMapSide });
  readonly #entropy: HTMLOutputElement;
  readonly #looks = h("span", { class: "looks" });
  readonly #ablate: HTMLButtonElement | null;

  constructor(head: Head, ablatable: boolean, prefix = "") {
    this.#head = head;
    this.#entropy = h("output", { "data-testid": `${prefix}entropy-${head.id}` });
    this.#ablate = ablatable
      ? h("button", {
          type: "button", class: "ablate", "data-testid": `ablate-${head.id}`, onclick: () => toggleAblation(head.id),
        })
      : null;
    const line = h("p", { class: "readout", "aria-live": "off" });
    readout(this.#canvas, line, this);
    this.#canvas.addEventListener("click", () => ablatable && toggleAblation(head.id));
    const index = colourIndex(ablatable ? head.parts : []);
    this.element = h(
      "article",
      { class: `head-card ${index < 0 ? "" : `card-operator-${index % 8}`}`, ...linked(ablatable ? head.parts : []), "data-layer": head.layer,
        "data-testid": `${prefix}head-${head.id}` },
      h("h4", { title: head.name }, h("b", {}, head.id), h("span", {}, head.name), this.#ablate),
      h("div", { class: "map-frame" }, this.#canvas),
      h("p", { class: "head-numbers" }, "entropy ", this.#entropy, " ", this.#looks),
      line,
    );
  }

  show(result: WordResult, view: HeadView): void {
    this.result = result;
    const off = this.#ablate !== null && state().ablate.includes(this.#head.id);
    this.#entropy.value = entropyText(view.mean_entropy);
    this.#looks.textContent = view.mean_perplexity === null ? "" : `· ≈ ${view.mean_perplexity.toFixed(view.mean_perplexity < 10 ? 1 : 0)} keys`;
    this.#canvas.setAttribute("aria-label", `Attention of head ${this.#head.id}, mean entropy ${entropyText(view.mean_entropy)} nats`);
    this.element.classList.toggle("off", off);
    if (this.#ablate) {
      this.#ablate.textContent = off ? "restore" : "ablate";
      this.#ablate.setAttribute("aria-pressed", String(off));
      this.#ablate.setAttribute("aria-label", `${off ? "Switch on" : "Ablate"} head ${this.#head.id}`);
    }
    if (view.weights === undefined) return;
    this.weights = decodeWeights(view.weights, result.n);
    drawMap(this.#canvas, this.weights, colourOf(this.#ablate ? this.#head.parts : []), kMapSide);
  }
}
