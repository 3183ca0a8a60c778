// The examples, with a sentence each. Taking one replaces the rule and its word.
import type { Example } from "../api/types";
import { fill, h } from "../dom";
import { kKinds } from "../state";
import { about, change } from "../store";

const kTitles: Record<string, string> = {
  formula: "Formulas", program: "Programs", regex: "Regular expressions", dfa: "Automata",
};

/// The state that an example begins with.
export function take(example: Example): void {
  const kind = kKinds.find((known) => known === example.kind) ?? "formula";
  change({
    kind, text: example.text, word: example.word, recipe: "auto", decoder: false, digits: false, gamma: null,
    length: null, ablate: [], patch: [], warmth: 0, hard: false, depth: null, beside: "",
  });
}

function card(example: Example, close: () => void): HTMLElement {
  return h(
    "li",
    {},
    h(
      "button",
      {
        type: "button", class: "card", "data-testid": `example-${example.name}`,
        onclick: () => {
          take(example);
          close();
        },
      },
      h("strong", {}, example.name.replaceAll("_", " ")),
      h("span", { title: example.sentence }, example.sentence),
    ),
  );
}

function matches(example: Example, wanted: string): boolean {
  return `${example.name} ${example.sentence} ${example.text}`.toLowerCase().includes(wanted.toLowerCase());
}

export function openGallery(): void {
  const dialog = h("dialog", { class: "gallery", "aria-label": "Examples", "data-testid": "gallery" });
  const close = (): void => dialog.close();
  const list = h("div", { class: "gallery-list" });
  const search = h("input", { type: "search", placeholder: "Search the examples", "aria-label": "Search the examples" });
  const draw = (): void => {
    const examples = (about.get()?.examples ?? []).filter((example) => matches(example, search.value));
    const kinds = [...kKinds].filter((kind) => examples.some((example) => example.kind === kind));
    fill(
      list,
      ...kinds.map((kind) =>
        h(
          "section",
          {},
          h("h3", {}, kTitles[kind] ?? kind),
          h("ul", {}, ...examples.filter((example) => example.kind === kind).map((example) => card(example, close))),
        ),
      ),
      examples.length === 0 && h("p", { class: "empty" }, about.get() ? "No example has that." : "The server has not answered yet."),
    );
  };
  search.addEventListener("input", draw);
  dialog.append(
    h(
      "div",
      { class: "gallery-head" },
      h("h2", {}, "Examples"),
      search,
      h("button", { type: "button", class: "quiet", onclick: close, "aria-label": "Close" }, "✕"),
    ),
    list,
  );
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  dialog.addEventListener("close", () => dialog.remove());
  draw();
  document.body.append(dialog);
  dialog.showModal();
}
