// Every named coordinate over the positions, sublayer by sublayer: what each of them writes.
import type { Compiled, CoordinateView, WordResult } from "../api/types";
import { colourIndex } from "../colours";
import { fill, h } from "../dom";
import { linked, relight } from "../links";
import { state } from "../store";
import { cellWidth, grid, heading, type GridRow } from "./grid";
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

function group(network: Compiled, result: WordResult, sublayer: number, width: number, say: (text: string) => void): HTMLElement | null {
  const rows = result.coordinates.filter((view) => view.sublayer === sublayer && matters(network, view)).map((view) => rowOf(network, view));
  if (rows.length === 0) return null;
  return h(
    "section",
    { class: "coordinate-group", "data-sublayer": sublayer },
    h("h4", {}, sublayerName(sublayer)),
    heading(result.symbols, width),
    h("div", { class: "coordinate-names" }, ...rows.map((row) => label(network, row))),
    grid(rows, width, `Values written by ${sublayerName(sublayer)}`, say, togglePatch),
  );
}

export function showCoordinates(parent: HTMLElement, network: Compiled | null, result: WordResult | null, say: (text: string) => void): void {
  if (!network || !result) return fill(parent);
  const names = parent.clientWidth > 520 ? 220 : 128;
  const width = cellWidth(result.n, parent.clientWidth - names - 8);
  const groups = Array.from({ length: network.network.sublayers }, (_, sublayer) => group(network, result, sublayer, width, say));
  const focused = document.activeElement?.closest<HTMLElement>(".coordinate-group")?.dataset["sublayer"];
  fill(parent, ...groups);
  if (focused) parent.querySelector<HTMLElement>(`[data-sublayer="${focused}"] canvas`)?.focus();
  relight();
}

export function dimCoordinates(parent: HTMLElement, depth: number | null): void {
  for (const section of parent.querySelectorAll<HTMLElement>(".coordinate-group")) {
    const sublayer = Number(section.dataset["sublayer"]);
    section.classList.toggle("later", depth !== null && sublayer > depth);
    section.classList.toggle("current", depth === sublayer);
  }
}
