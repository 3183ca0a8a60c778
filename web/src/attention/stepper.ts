// Stepping through the sublayers: what comes later is pale.
import { h } from "../dom";
import { change, compiled, onChange, state } from "../store";
import { sublayerName } from "./coordinates";

function step(by: number): void {
  const last = (compiled.get()?.network.sublayers ?? 1) - 1;
  const now = state().depth ?? (by > 0 ? -1 : last + 1);
  const next = now + by;
  change({ depth: next < 0 || next > last ? null : next });
}

export function createStepper(): HTMLElement {
  const where = h("output", { class: "step-where", "data-testid": "depth" });
  const show = (): void => {
    const { depth } = state();
    where.value = depth === null ? "all sublayers" : `up to ${sublayerName(depth)}`;
  };
  onChange(show);
  show();
  return h(
    "div",
    { class: "stepper", role: "group", "aria-label": "Step through the sublayers" },
    h("button", { type: "button", class: "quiet", "data-testid": "step-back", "aria-label": "One sublayer back", onclick: () => step(-1) }, "◀"),
    where,
    h("button", { type: "button", class: "quiet", "data-testid": "step-on", "aria-label": "One sublayer on", onclick: () => step(1) }, "▶"),
    h("button", { type: "button", class: "quiet", onclick: () => change({ depth: null }) }, "all"),
  );
}
