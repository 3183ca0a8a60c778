// The weights of one head, row by row, with the names of what they read and write.
import type { Head, Network } from "../api/types";
import { post } from "../api/request";
import { colourOf } from "../colours";
import { h } from "../dom";
import { linked } from "../links";
import { valueText } from "../numbers";

type Row = [number, number][];
interface Matrices {
  q: Row[];
  k: Row[];
  v: Row[];
  o: Row[];
}

/// What a coordinate holds when a sublayer reads it.
function nameAt(network: Network, coordinate: number, sublayer: number): string {
  const tenant = network.tenants.find((one) => one.coordinate === coordinate && one.from < sublayer && sublayer <= one.to);
  return tenant?.name ?? `x${coordinate}`;
}

function sum(entries: Row, name: (index: number) => string): HTMLElement {
  const terms = entries.map(([index, weight], at) => {
    const sign = weight < 0 ? "−" : at > 0 ? "+" : "";
    const size = Math.abs(weight) === 1 ? "" : `${valueText(Math.abs(weight))}·`;
    return h("span", { class: "term" }, `${sign}${at > 0 || weight < 0 ? " " : ""}${size}`, h("b", {}, name(index)), " ");
  });
  return h("td", { class: "code" }, ...(terms.length > 0 ? terms : ["0"]));
}

/// Rows of zeros say nothing: an output matrix has one for every coordinate that the head leaves alone.
function matrix(title: string, rows: Row[], label: (row: number) => string, name: (index: number) => string): HTMLElement[] {
  return rows.flatMap((entries, index) =>
    entries.length === 0 ? [] : [h("tr", {}, h("th", { scope: "row" }, `${title} ${label(index)}`), sum(entries, name))]);
}

export async function headDetails(network: Network, model: string, head: Head): Promise<HTMLElement> {
  const weights = await post<Matrices>("/api/weights", { model, layer: head.layer, head: head.head });
  const sublayer = 2 * head.layer + 1;
  const read = (index: number): string => nameAt(network, index, sublayer);
  const written = (row: number): string => {
    const tenant = network.tenants.find((one) => one.coordinate === row && one.from === sublayer);
    return tenant?.name ?? `x${row}`;
  };
  return h(
    "div",
    { class: "head-details", "data-testid": "head-details", ...linked(head.parts) },
    h("h3", {}, h("i", { class: "swatch" }), `Head ${head.id}: ${head.name}`),
    h("p", { class: "note" }, `mask ${head.mask} · τ = ${head.temperature} · ${head.intended} meant · ${head.structure} · lemma ${head.lemma}`),
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        ...matrix("query", weights.q, String, read),
        ...matrix("key", weights.k, String, read),
        ...matrix("value", weights.v, String, read),
        ...matrix("writes", weights.o, written, (index) => `value ${index}`),
      ),
    ),
  );
}

/// The swatch takes the colour by script, since a policy without inline styles allows no attribute for it.
export function colourSwatch(details: HTMLElement, head: Head): void {
  const swatch = details.querySelector<HTMLElement>(".swatch");
  if (swatch) swatch.style.backgroundColor = colourOf(head.parts);
}
