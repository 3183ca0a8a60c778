// The four views, as tabs: arrow keys move between them, as the pattern for tabs has it.
import { byId, h } from "../dom";
import { kTabs, type Tab } from "../state";
import { change, onChange, state } from "../store";

const kTitles: Record<Tab, [string, string]> = {
  network: ["Network", "rule ↔ network"],
  attention: ["Attention", "word → attention"],
  limits: ["Limits", "where it breaks"],
  take: ["Take away", "links and files"],
};

function button(tab: Tab): HTMLButtonElement {
  const [title, subtitle] = kTitles[tab];
  return h(
    "button",
    {
      type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `pane-${tab}`, "data-testid": `tab-${tab}`,
      "data-tour": `tab-${tab}`, onclick: () => change({ tab }),
    },
    h("span", { class: "tab-title" }, title),
    h("span", { class: "tab-subtitle" }, subtitle),
  );
}

function show(tab: Tab, buttons: ReadonlyMap<Tab, HTMLButtonElement>): void {
  for (const [name, element] of buttons) {
    element.setAttribute("aria-selected", String(name === tab));
    element.tabIndex = name === tab ? 0 : -1;
    byId(`pane-${name}`).hidden = name !== tab;
  }
}

export function createTabs(list: HTMLElement): void {
  const buttons = new Map(kTabs.map((tab) => [tab, button(tab)]));
  list.append(...buttons.values());
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const tab = kTabs[(kTabs.indexOf(state().tab) + step + kTabs.length) % kTabs.length] as Tab;
    change({ tab });
    buttons.get(tab)?.focus();
    event.preventDefault();
  });
  onChange((now, before) => {
    if (now.tab !== before.tab) show(now.tab, buttons);
  });
  show(state().tab, buttons);
}
