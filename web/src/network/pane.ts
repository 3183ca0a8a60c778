// Rule ↔ network: the drawing, the head that was chosen, and the stages of the compilation below.
import type { Head } from "../api/types";
import { troubleOf } from "../api/request";
import { fill, h } from "../dom";
import { relight } from "../links";
import { dark } from "../shell/theme";
import { kStages, type Stage } from "../state";
import { change, compiled, onChange, state } from "../store";
import { draw, markShape } from "./drawing";
import { listing } from "./listing";
import type { MarkShape } from "./plan";
import { colourSwatch, headDetails } from "./weights";
import { s } from "../dom";

const kStageTitles: Record<Stage, string> = {
  ast: "Rule", ir: "Attention IR", schedule: "Layers", layout: "Coordinates", model: "Weights",
};

function legend(): HTMLElement {
  const item = (shape: MarkShape, text: string): HTMLElement =>
    h("span", {}, s("svg", { viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": "true" }, markShape(shape, "currentColor")), text);
  return h(
    "p",
    { class: "legend" },
    item("query", "query"), item("key", "key"), item("value", "value"), item("read", "unit reads"), item("write", "writes"),
    h("span", { class: "legend-hint" }, "A line is a coordinate, from birth to death. Choose a head for its weights."),
  );
}

function stageChoice(): HTMLElement {
  const buttons = kStages.map((stage) =>
    h("button", { type: "button", "data-stage": stage, "data-testid": `stage-${stage}`, onclick: () => change({ stage }) }, kStageTitles[stage]));
  const show = (): void => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset["stage"] === state().stage));
  };
  onChange(show);
  show();
  return h("div", { class: "segments", role: "group", "aria-label": "Stage of the compilation" }, ...buttons);
}

export function createNetworkPane(pane: HTMLElement): void {
  const figure = h("div", { class: "figure scroll", "data-tour": "drawing", "data-testid": "drawing", tabindex: 0, role: "region", "aria-label": "Drawing of the network" });
  const details = h("div", { class: "details" });
  const stages = h("div", { class: "stage-listing scroll", tabindex: 0, role: "region", "aria-label": "Listing", "data-testid": "listing" });
  pane.append(figure, legend(), details, stageChoice(), stages);

  const select = async (head: Head): Promise<void> => {
    const network = compiled.get();
    if (!network) return;
    try {
      const element = await headDetails(network.network, network.model, head);
      colourSwatch(element, head);
      fill(details, element);
    } catch (error) {
      fill(details, h("p", { class: "empty" }, troubleOf(error).message));
    }
  };
  const drawFigure = (): void => {
    const network = compiled.get();
    if (!network) return fill(figure, h("p", { class: "empty" }, "The drawing appears as soon as a rule compiles."));
    if (pane.hidden) return;
    fill(figure, draw(network, figure.clientWidth - 4, (lane) => lane.head && void select(lane.head)));
    relight();
  };
  const drawListing = (): void => {
    const network = compiled.get();
    fill(stages, network && listing(network.stages.find((stage) => stage.stage === state().stage)));
    relight();
  };
  compiled.on(() => {
    fill(details);
    drawFigure();
    drawListing();
  });
  dark.on(() => {
    drawFigure();
    drawListing();
  });
  onChange((now, before) => {
    if (now.stage !== before.stage) drawListing();
    if (now.tab !== before.tab && now.tab === "network") drawFigure();
  });
  new ResizeObserver(drawFigure).observe(pane);
  drawFigure();
}
