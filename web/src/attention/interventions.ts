// What was switched off or overwritten, each to be taken back.
import { fill, h } from "../dom";
import { valueText } from "../numbers";
import { change, compiled, onChange, state } from "../store";
import { toggleAblation } from "./head_card";
import { removePatch } from "./patch";

function chips(): HTMLElement[] {
  const { ablate, patch } = state();
  const tenants = compiled.get()?.network.tenants ?? [];
  return [
    ...ablate.map((id) =>
      h("button", { type: "button", class: "chip", "aria-label": `Switch head ${id} on again`, onclick: () => toggleAblation(id) }, `head ${id} off ✕`)),
    ...patch.map(({ tenant, position, value }) =>
      h(
        "button",
        { type: "button", class: "chip", "data-testid": "patch-chip", "aria-label": "Take this patch back", onclick: () => removePatch(tenant, position) },
        `${tenants[tenant]?.name ?? tenant} @ ${position} = ${valueText(value)} ✕`,
      )),
  ];
}

export function createInterventions(): HTMLElement {
  const list = h("div", { class: "interventions", "data-testid": "interventions", "aria-live": "polite" });
  const draw = (): void => {
    const all = chips();
    fill(
      list,
      ...all,
      all.length > 0 && h("button", { type: "button", class: "quiet", "data-testid": "restore", onclick: () => change({ ablate: [], patch: [] }) }, "Restore the network"),
    );
    list.hidden = all.length === 0;
  };
  onChange((now, before) => (now.ablate !== before.ablate || now.patch !== before.patch) && draw());
  compiled.on(draw);
  draw();
  return list;
}
