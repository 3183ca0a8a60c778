// Five steps for a first visit. Each shows a part of the page; Escape ends it, and it does not come again by itself.
import { fill, h } from "../dom";
import type { Tab } from "../state";
import { change } from "../store";
import { recall, remember } from "./memory";

interface Step {
  target: string;
  tab: Tab;
  title: string;
  text: string;
}

const kSteps: readonly Step[] = [
  {
    target: "editor", tab: "network", title: "A rule",
    text: "Here stands a rule about words: a formula of temporal logic, a program or a regular expression. Mistakes are " +
      "underlined where they are. Examples has many more.",
  },
  {
    target: "drawing", tab: "network", title: "becomes a network",
    text: "Every line is a coordinate of the residual stream, from its birth to its death; bars are heads and feed-forward " +
      "units, where they read and write. Point at anything: the operator, its head, its coordinates and its weights light up.",
  },
  {
    target: "warmth", tab: "attention", title: "that attends,",
    text: "Type a word and see every head look at it. Warm the heads and attention blurs until answers go wrong; cool them " +
      "and it hardens. Switch heads off, overwrite values: wrong positions are marked with a cross.",
  },
  {
    target: "chart", tab: "limits", title: "up to a proved length,",
    text: "The certificate says up to which length every word comes out right in a number format, and which head stops it. " +
      "Run a million symbols, beside a network whose temperature does not know the length.",
  },
  {
    target: "tab-take", tab: "take", title: "and is yours.",
    text: "A link holds the whole page as it is. The model, its certificate, the figures and the exact command lines are " +
      "here to take with you.",
  },
];

/// Below this width the card covers the lower part of the window.
const kNarrow = 960;

let card: HTMLElement | null = null;
let returnTo: HTMLElement | null = null;

function mark(target: string | null): void {
  for (const element of document.querySelectorAll(".toured")) element.classList.remove("toured");
  if (target === null) return;
  const element = document.querySelector(`[data-tour="${target}"]`);
  element?.classList.add("toured");
  element?.scrollIntoView({ block: window.innerWidth < kNarrow ? "start" : "nearest" });
}

function end(): void {
  remember("tour", "seen");
  mark(null);
  card?.remove();
  card = null;
  returnTo?.focus();
}

function show(index: number): void {
  const step = kSteps[index];
  if (!card || !step) return end();
  change({ tab: step.tab });
  mark(step.target);
  const last = index === kSteps.length - 1;
  const next = h("button", { type: "button", "data-testid": "tour-next", onclick: () => show(index + 1) }, last ? "Begin" : "Next");
  fill(
    card,
    h("p", { class: "tour-count" }, `${index + 1} of ${kSteps.length}`),
    h("h2", {}, step.title),
    h("p", {}, step.text),
    h(
      "div",
      { class: "tour-buttons" },
      h("button", { type: "button", class: "quiet", "data-testid": "tour-end", onclick: end }, "No tour"),
      index > 0 && h("button", { type: "button", class: "quiet", onclick: () => show(index - 1) }, "Back"),
      next,
    ),
  );
  next.focus();
}

export function startTour(): void {
  if (card) return;
  returnTo = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  card = h("div", { class: "tour", role: "dialog", "aria-label": "Tour of the page", "data-testid": "tour" });
  card.addEventListener("keydown", (event) => event.key === "Escape" && end());
  document.body.append(card);
  show(0);
}

/// Only for people who have not seen it, and who did not come by a link to something in particular.
export function offerTour(): void {
  if (recall("tour") === null && location.hash === "") startTour();
}
