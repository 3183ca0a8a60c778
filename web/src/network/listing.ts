// The stages of the compilation as tables; every row knows which parts of the rule it stands for.
import type { StageListing, StageTable } from "../api/types";
import { colourIndex } from "../colours";
import { h } from "../dom";
import { linked } from "../links";

const kMostRows = 400;

/// Things of the network are named by letters and numbers, and read best in the typeface of code.
const isCode = (column: string): boolean => column !== "what it is" && column !== "lemma";

function row(columns: readonly string[], { cells, parts }: StageTable["rows"][number]): HTMLElement {
  const index = colourIndex(parts);
  return h(
    "tr",
    { ...linked(parts), class: index < 0 ? "" : `row-operator-${index % 8}` },
    ...cells.map((cell, at) => h("td", { class: isCode(columns[at] ?? "") ? "code" : "" }, cell)),
  );
}

function table(listing: StageTable): HTMLElement {
  const more = listing.rows.length - kMostRows;
  return h(
    "div",
    { class: "listing-table" },
    listing.title && h("h3", {}, listing.title),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...listing.columns.map((column) => h("th", { scope: "col" }, column)))),
      h("tbody", {}, ...listing.rows.slice(0, kMostRows).map((cells) => row(listing.columns, cells))),
    ),
    more > 0 && h("p", { class: "note" }, `and ${more} more rows: `, h("code", {}, "quench show"), " prints them all."),
  );
}

export function listing(stage: StageListing | undefined): HTMLElement {
  if (!stage) return h("p", { class: "empty" }, "Nothing to list.");
  const tables = stage.tables ?? [];
  return h(
    "div",
    { class: "listing" },
    ...(tables.length > 0 ? tables.map(table) : [h("pre", {}, stage.text)]),
    stage.cut && h("p", { class: "note" }, "Cut: ", h("code", {}, "quench show"), " prints all of it."),
  );
}
