// Word → attention: controls, answers, maps, coordinates.
import { h } from "../dom";
import { dark } from "../shell/theme";
import { besideTrouble, compiled, compiledBeside, onChange, state, wordBeside, wordResult, wordTrouble } from "../store";
import { Answers, spoken } from "./answers";
import { createControls } from "./controls";
import { Coordinates } from "./coordinates";
import { createInterventions } from "./interventions";
import { Maps } from "./maps";
import { createStepper } from "./stepper";

/// Why there is nothing to see, if so.
function reason(): string {
  if (!compiled.get()) return "Attention appears as soon as a rule compiles.";
  if (!state().word) return "Type a word: its symbols run through the network, and every head shows where it looks.";
  return wordTrouble.get()?.message ?? "";
}

export function createAttentionPane(pane: HTMLElement): void {
  const empty = h("p", { class: "empty", "data-testid": "word-trouble" });
  const status = h("p", { class: "unseen", role: "status" });
  const answers = new Answers();
  const maps = new Maps(true);
  const other = new Maps(false, "beside-");
  const otherTitle = h("h3", { class: "beside-title" });
  const said = h("p", { class: "readout said", "aria-live": "polite" });
  const coordinates = new Coordinates((text) => (said.textContent = text));
  const both = h("div", { class: "both", "data-tour": "maps" }, maps.element, h("div", { class: "beside" }, otherTitle, other.element));
  const body = h(
    "div",
    {},
    status,
    answers.element,
    createInterventions(),
    h("div", { class: "section-head" }, h("h2", {}, "Where heads look"), h("p", { class: "note" }, "Rows are queries, columns keys. Click a map to ablate its head."), createStepper()),
    both,
    h("div", { class: "section-head" }, h("h2", {}, "What coordinates hold"), h("p", { class: "note" }, "Click a cell to patch it.")),
    said,
    coordinates.element,
  );
  pane.append(createControls(), empty, body);

  const dim = (): void => {
    maps.dim(state().depth);
    other.dim(state().depth);
    coordinates.dim(state().depth);
  };
  const draw = (anew = false): void => {
    if (pane.hidden) return;
    const result = wordResult.get();
    const beside = wordBeside.get();
    const besideNetwork = compiledBeside.get();
    empty.textContent = result ? "" : reason();
    empty.hidden = result !== null;
    body.hidden = result === null;
    const recipe = besideNetwork?.summary.recipe ?? state().beside;
    answers.show(result, beside && besideNetwork ? { recipe, result: beside } : null);
    maps.show(compiled.get(), result, anew);
    other.show(besideNetwork, beside, anew);
    otherTitle.textContent = besideTrouble.get()?.message ?? (besideNetwork ? `beside: recipe ${recipe}` : "");
    both.classList.toggle("two", state().beside !== "");
    coordinates.show(compiled.get(), result, anew);
    const sentence = spoken(result);
    if (status.textContent !== sentence) status.textContent = sentence;
    dim();
    performance.mark("attention-drawn");
  };
  let waiting = false;
  const soon = (): void => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
  for (const signal of [wordResult, wordBeside, wordTrouble, besideTrouble, compiledBeside, compiled]) signal.on(soon);
  dark.on(() => draw(true));
  onChange((now, before) => {
    if (now.tab !== before.tab && now.tab === "attention") draw();
    if (now.depth !== before.depth) dim();
  });
  new ResizeObserver(soon).observe(pane);
  draw();
}
