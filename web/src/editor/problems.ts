// What is wrong with the text, as a list below the editor: every entry goes to its place.
import type { EditorView } from "@codemirror/view";
import type { Diagnostic } from "../api/types";
import { fill, h } from "../dom";
import { prose } from "../prose";
import { compileTrouble, parsed } from "../store";

function goTo(view: EditorView, diagnostic: Diagnostic): void {
  const length = view.state.doc.length;
  view.dispatch({
    selection: { anchor: Math.min(diagnostic.from, length), head: Math.min(diagnostic.to, length) },
    scrollIntoView: true,
  });
  view.focus();
}

function entry(view: EditorView, diagnostic: Diagnostic): HTMLElement {
  const place = `${diagnostic.line}:${diagnostic.column}`;
  return h(
    "li",
    { class: `problem ${diagnostic.severity}`, "data-testid": "problem", "data-code": diagnostic.code, "data-from": diagnostic.from,
      "data-to": diagnostic.to },
    h(
      "button",
      { type: "button", onclick: () => goTo(view, diagnostic), "aria-label": `Go to line ${diagnostic.line}: ${diagnostic.message}` },
      h("span", { class: "problem-mark", "aria-hidden": "true" }, diagnostic.severity === "error" ? "✕" : "!"),
      h("span", { class: "problem-place" }, place),
      h("code", {}, diagnostic.code),
      h("span", { class: "problem-message" }, ...prose(diagnostic.message)),
    ),
    ...diagnostic.help.map((hint) => h("p", { class: "hint" }, ...prose(hint))),
    diagnostic.explanation ? h("details", {}, h("summary", {}, "explain"), h("pre", {}, diagnostic.explanation)) : null,
  );
}

export function showProblems(list: HTMLElement, view: EditorView): void {
  const draw = (): void => {
    const diagnostics = parsed.get()?.diagnostics ?? [];
    const trouble = compileTrouble.get();
    const other = trouble && trouble.code !== "rule" && trouble.code !== "unreachable" ? trouble : null;
    fill(
      list,
      ...diagnostics.map((diagnostic) => entry(view, diagnostic)),
      other && diagnostics.length === 0 ? h("li", { class: "problem error", "data-testid": "trouble" }, "✕ ", ...prose(other.message)) : null,
    );
    list.hidden = list.childElementCount === 0;
  };
  parsed.on(draw);
  compileTrouble.on(draw);
  draw();
}
