// Every named coordinate over the positions, sublayer by sublayer: what each of them writes.
import type { Compiled, CoordinateView, WordResult } from "../api/types";
import { colourIndex } from "../colours";
import { fill, h } from "../dom";
import { linked, relight } from "../links";
import { state } from "../store";
import { cellWidth, Grid, heading, type GridRow } from "./grid";
import { togglePatch } from "./patch";

export function sublayerName(sublayer: number): string {
  if (sublayer === 0) return "embedding";
  const layer = Math.floor((sublayer - 1) / 2);
  return `${sublayer % 2 === 1 ? "attention" : "feed-forward"} ${layer}`;
}

function rowOf(network: Compiled, view: CoordinateView): GridRow {
  const tenant = network.network.tenants[view.tenant];
  const patched = state().patch.filter((patch) => patch.tenant === view.tenant).map((patch) => patch.position - 1);
  const again = tenant && tenant.from !== view.sublayer ? ", changed" : "";
  return {
    tenant: view.tenant, name: `${tenant?.name ?? `x${view.tenant}`}${again}`, boolean: tenant?.boolean ?? false,
    values: view.values, patched: new Set(patched),
  };
}

function label(network: Compiled, row: GridRow): HTMLElement {
  const parts = network.network.tenants[row.tenant]?.parts ?? [];
  const index = colourIndex(parts);
  return h("span", { class: `coordinate-name ${index < 0 ? "" : `name-operator-${index % 8}`}`, title: row.name, ...linked(parts) }, row.name);
}

/// A value changes once more when its coordinate is cleared, after the last reading; that says nothing.
function matters(network: Compiled, view: CoordinateView): boolean {
  const tenant = network.network.tenants[view.tenant];
  return !tenant || view.sublayer === tenant.from || view.sublayer < tenant.to;
}

interface Group {
  sublayer: number;
  grid: Grid;
}

/// All sublayers. What does not change with the values, names and places, is made once per network and length.
export class Coordinates {
  readonly element = h("div", { class: "coordinates scroll" });
  readonly #say: (text: string) => void;
  #groups: Group[] = [];
  #made = "";

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  #section(network: Compiled, sublayer: number, rows: readonly GridRow[], symbols: readonly string[], width: number): HTMLElement {
    const grid = new Grid(`Values written by ${sublayerName(sublayer)}`, this.#say, togglePatch);
    this.#groups.push({ sublayer, grid });
    return h(
      "section",
      { class: "coordinate-group", "data-sublayer": sublayer },
      h("h4", {}, sublayerName(sublayer)),
      heading(symbols, width),
      h("div", { class: "coordinate-names" }, ...rows.map((row) => label(network, row))),
      grid.canvas,
    );
  }

  show(network: Compiled | null, result: WordResult | null, anew: boolean): void {
    if (!network || !result) {
      this.#made = "";
      return fill(this.element);
    }
    const names = this.element.clientWidth > 520 ? 220 : 128;
    const width = cellWidth(result.n, this.element.clientWidth - names - 8);
    const views = result.coordinates.filter((view) => matters(network, view));
    const rowsOf = (sublayer: number): GridRow[] => views.filter((view) => view.sublayer === sublayer).map((view) => rowOf(network, view));
    const make = `${network.model} ${result.symbols.join(" ")} ${width} ${views.map((view) => `${view.tenant}@${view.sublayer}`).join(" ")}`;
    if (anew || make !== this.#made) {
      this.#made = make;
      this.#groups = [];
      const sublayers = Array.from({ length: network.network.sublayers }, (_, sublayer) => sublayer);
      fill(this.element, ...sublayers.map((sublayer) => {
        const rows = rowsOf(sublayer);
        return rows.length > 0 && this.#section(network, sublayer, rows, result.symbols, width);
      }));
      relight();
    }
    for (const { sublayer, grid } of this.#groups) grid.show(rowsOf(sublayer), width);
  }

  /// Sublayers that have not had their turn yet are pale.
  dim(depth: number | null): void {
    for (const section of this.element.querySelectorAll<HTMLElement>(".coordinate-group")) {
      const sublayer = Number(section.dataset["sublayer"]);
      section.classList.toggle("later", depth !== null && sublayer > depth);
      section.classList.toggle("current", depth === sublayer);
    }
  }
}
