// The maps of all heads of one network, layer by layer.
import type { Compiled, WordResult } from "../api/types";
import { fill, h } from "../dom";
import { relight } from "../links";
import { Card } from "./head_card";

export class Maps {
  readonly element = h("div", { class: "maps" });
  readonly #ablatable: boolean;
  readonly #prefix: string;
  #cards = new Map<string, Card>();
  #network: Compiled | null = null;

  constructor(ablatable: boolean, prefix = "") {
    this.#ablatable = ablatable;
    this.#prefix = prefix;
  }

  #build(network: Compiled): void {
    this.#cards = new Map();
    fill(
      this.element,
      ...network.network.layers.map((layer, index) => {
        const cards = layer.heads.map((head) => new Card(head, this.#ablatable, this.#prefix));
        layer.heads.forEach((head, at) => this.#cards.set(head.id, cards[at] as Card));
        return h(
          "section",
          { class: "map-layer", "data-layer": index, "aria-label": `Layer ${index}` },
          h("h3", {}, `layer ${index}`),
          h("div", { class: "map-cards" }, ...cards.map((card) => card.element)),
        );
      }),
    );
    if (this.#cards.size === 0) this.element.append(h("p", { class: "empty" }, "This network has no heads: its answer depends on the symbol alone, or is always the same."));
    relight();
  }

  show(network: Compiled | null, result: WordResult | null, anew = false): void {
    if (!network || !result) {
      this.#network = null;
      return fill(this.element);
    }
    if (anew || network !== this.#network) {
      this.#network = network;
      this.#build(network);
    }
    for (const view of result.heads) this.#cards.get(view.id)?.show(result, view);
  }

  /// Layers that have not had their turn yet are pale.
  dim(depth: number | null): void {
    for (const section of this.element.querySelectorAll<HTMLElement>(".map-layer")) {
      const sublayer = 2 * Number(section.dataset["layer"]) + 1;
      section.classList.toggle("later", depth !== null && sublayer > depth);
    }
  }
}
