// Setting a value by hand: truth values turn around, other values are asked for.
import { h } from "../dom";
import type { Patch } from "../state";
import { change, state } from "../store";
import type { GridRow } from "./grid";

export function patchAt(tenant: number, position: number): Patch | undefined {
  return state().patch.find((patch) => patch.tenant === tenant && patch.position === position);
}

export function removePatch(tenant: number, position: number): void {
  change({ patch: state().patch.filter((patch) => patch.tenant !== tenant || patch.position !== position) });
}

function addPatch(patch: Patch): void {
  const others = state().patch.filter((old) => old.tenant !== patch.tenant || old.position !== patch.position);
  change({ patch: [...others, patch] });
}

/// Asks for a number, in a dialog that the keyboard can leave.
function ask(row: GridRow, position: number, done: (value: number) => void): void {
  const input = h("input", { type: "number", step: "any", value: row.values[position - 1] ?? 0, "aria-label": "New value" });
  const form = h(
    "form",
    { method: "dialog", class: "patch-form" },
    h("p", {}, "Set ", h("b", {}, row.name), ` at position ${position} to`),
    input,
    h("button", { type: "submit", value: "set" }, "Set"),
    h("button", { type: "submit", value: "", class: "quiet" }, "Cancel"),
  );
  const dialog = h("dialog", { class: "small-dialog", "aria-label": "Patch a value" }, form);
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "set" && Number.isFinite(input.valueAsNumber)) done(input.valueAsNumber);
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  input.select();
}

/// A patched cell is freed again by choosing it once more.
export function togglePatch(row: GridRow, column: number): void {
  const { tenant } = row;
  const position = column + 1;
  if (patchAt(tenant, position)) return removePatch(tenant, position);
  if (row.boolean) return addPatch({ tenant, position, value: (row.values[column] ?? 0) > 0.5 ? 0 : 1 });
  ask(row, position, (value) => addPatch({ tenant, position, value }));
}
