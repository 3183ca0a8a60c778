// The editor: CodeMirror with our languages, and the server's diagnostics underlined where they are.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Diagnostic } from "../api/types";
import { h } from "../dom";
import { prose } from "../prose";
import { change, compiled, onChange, parsed, state } from "../store";
import { complete } from "./complete";
import { mode } from "./modes";
import { adoptSheets } from "./sheets";
import { operatorSpans, setParts } from "./spans";

const kColours = HighlightStyle.define([
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.operatorKeyword, class: "tok-keyword" },
  { tag: tags.definitionKeyword, class: "tok-definition" },
  { tag: tags.operator, class: "tok-operator" },
  { tag: tags.atom, class: "tok-symbol" },
  { tag: tags.string, class: "tok-symbol" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.bool, class: "tok-number" },
  { tag: tags.typeName, class: "tok-predicate" },
]);

/// A diagnostic as its tooltip: code and message, the hints, how to read more.
function tooltip(diagnostic: Diagnostic): HTMLElement {
  return h(
    "div",
    { class: `diagnostic-tip ${diagnostic.severity}` },
    h("p", {}, h("code", {}, diagnostic.code), " ", ...prose(diagnostic.message)),
    ...diagnostic.help.map((hint) => h("p", { class: "hint" }, ...prose(hint))),
  );
}

/// CodeMirror wants marks of some width within the text; a mistake at its end is drawn under the last character.
function toMark(diagnostic: Diagnostic, length: number): Mark {
  const to = Math.min(Math.max(diagnostic.to, diagnostic.from + 1), length);
  const from = Math.max(0, Math.min(diagnostic.from, to - 1));
  return {
    from,
    to,
    severity: diagnostic.severity,
    source: diagnostic.code,
    message: [diagnostic.message, ...diagnostic.help].join("\n"),
    renderMessage: () => tooltip(diagnostic),
  };
}

export function createEditor(parent: HTMLElement): EditorView {
  adoptSheets();
  const language = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: state().text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete], icons: false }),
        syntaxHighlighting(kColours),
        language.of(mode(state().kind)),
        operatorSpans,
        placeholder("Write a rule, or take one from the examples"),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": "Rule. Control-Space completes, Control-Shift-M lists mistakes, Escape then Tab leaves.",
          "data-testid": "editor",
          spellcheck: "false",
        }),
        keymap.of([
          { key: "Tab", run: acceptCompletion },
          ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          const text = update.state.doc.toString();
          if (update.docChanged && text !== state().text) change({ text });
        }),
      ],
    }),
  });
  follow(view, language);
  return view;
}

function follow(view: EditorView, language: Compartment): void {
  onChange((now, before) => {
    if (now.kind !== before.kind) view.dispatch({ effects: language.reconfigure(mode(now.kind)) });
    const shown = view.state.doc.toString();
    if (now.text !== shown) view.dispatch({ changes: { from: 0, to: shown.length, insert: now.text } });
  });
  parsed.on((rule) => {
    const length = view.state.doc.length;
    const marks = length > 0 ? (rule?.diagnostics ?? []).map((diagnostic) => toMark(diagnostic, length)) : [];
    view.dispatch(setDiagnostics(view.state, marks));
  });
  compiled.on((network) => {
    const parts = network?.rule.parts;
    if (parts) view.dispatch({ effects: setParts.of(parts) });
  });
}
