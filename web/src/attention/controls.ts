// What acts at once: the word, the temperature, the format, soft or hard, another recipe beside.
import { h } from "../dom";
import { choiceField, setChoices, toggleField } from "../shell/fields";
import { about, change, compiled, onChange, state, wordResult } from "../store";
import { describe, kColdest, kWarmest } from "./warmth";

function wordInput(): HTMLElement {
  const input = h("input", {
    type: "text", class: "word", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "data-testid": "word", "aria-label": "Word",
    oninput: () => change({ word: input.value }),
  });
  const show = (): void => {
    if (input.value !== state().word) input.value = state().word;
  };
  onChange(show);
  show();
  const label = h("span", { class: "field-label" }, "word");
  compiled.on((network) => {
    const rule = network?.rule;
    if (!rule) return;
    const symbols = (rule.symbols ?? []).slice(0, 8).join(rule.separated ? "  " : " ");
    label.textContent = `word, of ${symbols || "any symbols"}${rule.separated ? ", with blanks between" : ""}`;
  });
  return h("label", { class: "field wide" }, label, input);
}

/// Words that the example accepts and rejects, to try.
function tries(): HTMLElement {
  const list = h("p", { class: "tries" });
  const draw = (): void => {
    const example = about.get()?.examples.find((one) => one.text === state().text);
    const chip = (word: string, mark: string, title: string): HTMLElement =>
      h("button", { type: "button", class: "chip", title, onclick: () => change({ word, patch: [] }) }, `${mark} ${word}`);
    list.replaceChildren(
      ...(example?.accepts ?? []).slice(0, 5).map((word) => chip(word, "✓", "accepted by the rule")),
      ...(example?.rejects ?? []).slice(0, 5).map((word) => chip(word, "✕", "rejected by the rule")),
    );
    list.hidden = list.childElementCount === 0;
  };
  onChange((now, before) => now.text !== before.text && draw());
  about.on(draw);
  draw();
  return list;
}

function slider(): HTMLElement {
  const shown = h("output", { class: "warmth-text", "data-testid": "warmth-text" });
  const input = h("input", {
    type: "range", min: kColdest, max: kWarmest, step: 1, class: "warmth", "data-testid": "warmth", "aria-label": "Temperature of every head",
    list: "warmth-marks", oninput: () => change({ warmth: input.valueAsNumber }),
  });
  const show = (): void => {
    input.value = String(state().warmth);
    input.setAttribute("aria-valuetext", describe(state().warmth));
    shown.value = describe(state().warmth);
    input.disabled = state().hard;
  };
  onChange(show);
  show();
  const place = (step: number): string => `${((step - kColdest) / (kWarmest - kColdest)) * 100}`;
  const ticks = ([[kColdest, "hard"], [0, "as compiled"], [16, "×16"], [32, "×256"], [kWarmest, "uniform"]] as const).map(([step, text]) => {
    const tick = h("button", { type: "button", tabindex: -1, class: "tick", onclick: () => change({ warmth: step, hard: false }) }, text);
    tick.style.left = `${place(step)}%`;
    return tick;
  });
  return h(
    "div",
    { class: "warmth-field", "data-tour": "warmth" },
    h("div", { class: "warmth-head" }, h("span", { class: "field-label" }, "temperature"), shown, entropy()),
    input,
    h("div", { class: "ticks", "aria-hidden": "true" }, ...ticks),
  );
}

/// The mean over all heads: the number that falls as heads cool.
function entropy(): HTMLElement {
  const output = h("output", { "data-testid": "entropy-mean" });
  wordResult.on((result) => {
    const values = (result?.heads ?? []).map((head) => head.mean_entropy).filter((value) => value !== null);
    output.value = values.length > 0 ? (values.reduce((a, b) => a + b, 0) / values.length).toFixed(3) : "–";
  });
  return h("span", { class: "entropy-all" }, "mean entropy ", output, " nats");
}

export function createControls(): HTMLElement {
  const format = choiceField("format", "format", "The numbers that the network calculates with", [{ value: "f64", label: "f64" }]);
  const beside = choiceField("beside", "beside", "Another recipe for the same rule", [{ value: "", label: "nothing" }]);
  about.on((now) => {
    if (!now) return;
    setChoices(format.select, now.formats.map(({ name }) => ({ value: name, label: name })), state().format);
    setChoices(beside.select, [{ value: "", label: "nothing" }, ...now.recipes.map(({ name }) => ({ value: name, label: name }))], state().beside);
  });
  return h(
    "div",
    { class: "controls" },
    h(
      "div",
      { class: "control-row" },
      wordInput(),
      format.element,
      beside.element,
      toggleField("hard", "hard", "Hard attention: all weight on the greatest score, as the softmax only means to"),
    ),
    tries(),
    slider(),
  );
}
