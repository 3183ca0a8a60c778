// The top of the page: name, examples, tour, link, theme.
import { h } from "../dom";
import { encode } from "../link";
import { about, state } from "../store";
import { openGallery } from "./gallery";
import { dark, toggleTheme } from "./theme";
import { startTour } from "./tour";

function logo(): HTMLElement {
  return h(
    "span",
    { class: "logo", "aria-hidden": "true" },
    h("i", { class: "hot" }), h("i", { class: "cold" }), h("i", { class: "cold" }),
    h("i", {}), h("i", { class: "hot" }), h("i", { class: "cold" }),
    h("i", {}), h("i", {}), h("i", { class: "hot" }),
  );
}

async function copyLink(button: HTMLButtonElement): Promise<void> {
  const link = location.origin + location.pathname + encode(state());
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(link);
    button.textContent = "Copied";
  } catch {
    button.textContent = "In the address bar";
  }
  setTimeout(() => (button.textContent = label), 1500);
}

export function createHeader(header: HTMLElement): void {
  const version = h("span", { class: "version" });
  about.on((now) => (version.textContent = now ? now.version : ""));
  const link = h("button", { type: "button", class: "quiet", onclick: () => void copyLink(link) }, "Copy link");
  const theme = h("button", { type: "button", class: "quiet", "data-testid": "theme", onclick: toggleTheme });
  dark.now((now) => {
    theme.textContent = now ? "☀ Light" : "☾ Dark";
  });
  header.append(
    h("div", { class: "brand" }, logo(), h("h1", {}, "Quench ", h("span", {}, "studio")), version),
    h("p", { class: "motto" }, "Write a rule, watch it become a transformer."),
    h(
      "nav",
      { "aria-label": "Page" },
      h("button", { type: "button", "data-testid": "gallery-open", "data-tour": "gallery", onclick: openGallery }, "Examples"),
      h("button", { type: "button", class: "quiet", "data-testid": "tour-open", onclick: () => startTour() }, "Tour"),
      link,
      theme,
    ),
  );
}
