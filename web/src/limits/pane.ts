// Where it breaks: the certificate, the failures that are known, and long words.
import { h, fill } from "../dom";
import { withCommas } from "../numbers";
import { choiceField, setChoices } from "../shell/fields";
import { dark } from "../shell/theme";
import { about, certificate, change, compiled, onChange, state } from "../store";
import { chart, kSummations } from "./chart";
import { findings, search, searching, stopSearch } from "./failures";
import { knowing, ordinary, race, raceOnce } from "./race";
import { showTrack } from "./track";

const kEngines: Record<string, string> = {
  any: "any engine",
  "normalise-last": "engines that divide by the sum of the weights last",
  "exact-count": "engines that also sum exactly (quench run)",
};

function legend(): HTMLElement {
  return h(
    "p",
    { class: "legend" },
    ...kSummations.map((summation, index) => h("span", {}, h("i", { class: `swatch promise-swatch-${index}` }), kEngines[summation] ?? summation)),
    h("span", {}, h("b", { class: "cross", "aria-hidden": "true" }, "✕"), "known to fail"),
    h("span", {}, h("i", { class: "swatch dashed" }), "the length below"),
  );
}

function failureButton(): HTMLElement {
  const status = h("span", { class: "note", role: "status", "data-testid": "failure-status" });
  const button = h("button", { type: "button", "data-testid": "find-failures" }, "Find first failures");
  button.addEventListener("click", () => {
    if (searching.get()) stopSearch();
    else void search([...certificate.get().keys()].reverse());  // short formats fail first
  });
  searching.on((now) => {
    status.textContent = now;
    button.textContent = now ? "Stop" : "Find first failures";
  });
  return h("div", { class: "row" }, button, status);
}

/// The longest word that the server runs in a format.
function longest(format: string): number {
  const known = about.get();
  if (!known) return 2 ** 20;
  return known.formats.find(({ name }) => name === format)?.linear === false ? known.limits.slow_length : known.limits.length;
}

/// A slider of eighths of octaves, so that a million is as near as a thousand.
function lengthSlider(): HTMLElement {
  const shown = h("output", { "data-testid": "length-shown" });
  const input = h("input", { type: "range", min: 0, step: 1, "data-testid": "length-slider", "aria-label": "Length of the words, logarithmic" });
  const show = (): void => {
    const { limitLength, limitFormat } = state();
    input.max = String(Math.floor(8 * Math.log2(longest(limitFormat))));
    input.value = String(Math.round(8 * Math.log2(limitLength)));
    input.setAttribute("aria-valuetext", withCommas(limitLength));
    shown.value = `n = ${withCommas(limitLength)}`;
  };
  input.addEventListener("input", () => change({ limitLength: Math.min(longest(state().limitFormat), Math.round(2 ** (input.valueAsNumber / 8))) }));
  input.addEventListener("change", race);
  onChange((now) => {
    if (now.limitLength > longest(now.limitFormat)) return change({ limitLength: longest(now.limitFormat) });
    show();
  });
  about.on(show);
  show();
  return h("div", { class: "length-field" }, h("div", { class: "warmth-head" }, h("span", { class: "field-label" }, "length"), shown), input);
}

function fixedField(): HTMLElement {
  const input = h("input", { type: "number", min: 1, step: 1, "data-testid": "fixedAt",
    oninput: () => input.valueAsNumber >= 1 && change({ fixedAt: Math.round(input.valueAsNumber) }) });
  input.value = String(state().fixedAt);
  onChange((now) => {
    if (document.activeElement !== input) input.value = String(now.fixedAt);
  });
  return h("label", { class: "field", title: "The other network keeps the temperature that it has at this length" },
    h("span", { class: "field-label" }, "fixed at n ="), input);
}

function longWords(): HTMLElement {
  const format = choiceField("limitFormat", "format", "The numbers that the networks calculate with", [{ value: "f32", label: "f32" }]);
  about.on((now) => now && setChoices(format.select, now.formats.map(({ name }) => ({ value: name, label: name })), state().limitFormat));
  const words = choiceField("limitWords", "words", "How the long words are made", [
    { value: "repeat", label: "the word, repeated" }, { value: "stretch", label: "the word, stretched" },
    { value: "random", label: "random" }, { value: "runs", label: "long runs" },
  ]);
  const left = h("section", { class: "track", "data-testid": "track-knowing" });
  const right = h("section", { class: "track", "data-testid": "track-ordinary" });
  const draw = (): void => {
    showTrack(left, "As compiled", "The temperature knows the length: it falls as words grow.", knowing.track.get());
    showTrack(right, "Fixed temperature", `The same weights with the temperature of n = ${withCommas(state().fixedAt)}: an ordinary transformer.`, ordinary.track.get());
  };
  knowing.track.on(draw);
  ordinary.track.on(draw);
  onChange((now, before) => now.fixedAt !== before.fixedAt && draw());
  draw();
  return h(
    "div",
    {},
    h("div", { class: "section-head" }, h("h2", {}, "Long words"), h("p", { class: "note" }, "Real words through the real network, compared with the rule at every position.")),
    lengthSlider(),
    h(
      "div",
      { class: "control-row" },
      format.element, words.element, fixedField(),
      h("button", { type: "button", "data-testid": "race", onclick: race }, "Run"),
      h("button", { type: "button", class: "quiet", onclick: () => [knowing, ordinary].forEach((runner) => runner.stop()) }, "Stop"),
    ),
    h("div", { class: "tracks" }, left, right),
  );
}

export function createLimitsPane(pane: HTMLElement): void {
  const figure = h("div", { class: "figure", "data-tour": "chart", "data-testid": "chart" });
  const draw = (): void => {
    if (pane.hidden) return;
    const certificates = [...certificate.get().values()];
    if (certificates.length === 0) {
      return fill(figure, h("p", { class: "empty" }, compiled.get() ? "The certificate is being proved …" : "The certificate appears as soon as a rule compiles."));
    }
    const data = { certificates, findings: findings.get(), length: state().limitLength, lengthFormat: state().limitFormat };
    fill(figure, chart(data, Math.max(300, figure.clientWidth)));
  };
  pane.append(
    h("div", { class: "section-head" }, h("h2", {}, "Certified lengths"),
      h("p", { class: "note" }, "Proved for every word up to the length, not measured.")),
    figure, legend(), failureButton(), longWords(),
  );
  const begin = (): void => {
    draw();
    if (!pane.hidden) raceOnce();
  };
  certificate.on(draw);
  findings.on(draw);
  compiled.on(begin);
  dark.on(draw);
  onChange((now, before) => {
    if (now.tab !== before.tab) begin();
    if (now.limitLength !== before.limitLength) draw();
  });
  new ResizeObserver(draw).observe(pane);
}

