// The operators of the rule in the editor: each in the colour of its head, and the whole subexpression marked while it is
// pointed at. A part's own place is what is left of it when its operands are taken away.
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import { RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import type { Part } from "../api/types";
import { colourIndex } from "../colours";
import { point, pointed } from "../links";
import { kOperators } from "./modes";

interface Range {
  from: number;
  to: number;
}

export const setParts = StateEffect.define<readonly Part[]>();
const setPointed = StateEffect.define<ReadonlySet<number> | null>();

function rangeOf(part: Part | undefined): Range | null {
  return part && part.from !== null && part.to !== null ? { from: part.from, to: part.to } : null;
}

/// The range without these others.
function without(whole: Range, taken: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = whole.from;
  for (const range of [...taken].sort((a, b) => a.from - b.from)) {
    if (range.to <= at || range.from >= whole.to) continue;
    if (range.from > at) left.push({ from: at, to: range.from });
    at = Math.max(at, range.to);
  }
  if (at < whole.to) left.push({ from: at, to: whole.to });
  return left;
}

const kToken = /#[<>]?|[←→]#|<->|->|<=|>=|!=|[!¬⊖⊕≤≥≠<>=]|[\p{L}_][\p{L}\p{N}_]*/gu;
const kNamed = new Set(["predicate", "pointwise", "leftmost", "rightmost", "sum", "mean"]);

/// Whether a token is the operator and not the name of an operand. Predicates and definitions of programs are names.
function isOperator(token: string, part: Part): boolean {
  return kNamed.has(part.operator) || !/^[\p{L}_]/u.test(token) || kOperators.has(token);
}

/// Where the operator itself is written.
function operatorTokens(doc: Text, part: Part, byId: ReadonlyMap<number, Part>): Range[] {
  const whole = rangeOf(part);
  if (!whole || whole.to > doc.length) return [];
  const operands = part.operands.map((id) => rangeOf(byId.get(id))).filter((range) => range !== null);
  const first: Range[] = [];
  for (const left of without(whole, operands)) {
    const token = [...doc.sliceString(left.from, left.to).matchAll(kToken)].find(([text]) => isOperator(text, part));
    if (token) first.push({ from: left.from + token.index, to: left.from + token.index + token[0].length });
  }
  return first.slice(0, 1);
}

interface Spans {
  parts: readonly Part[];
  colours: DecorationSet;
  lit: DecorationSet;
}

function build(ranges: { range: Range; decoration: Decoration }[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  ranges.sort((a, b) => a.range.from - b.range.from || b.range.to - a.range.to);
  for (const { range, decoration } of ranges) builder.add(range.from, range.to, decoration);
  return builder.finish();
}

function colourDecorations(doc: Text, parts: readonly Part[]): DecorationSet {
  const byId = new Map(parts.map((part) => [part.id, part]));
  return build(
    parts.flatMap((part) => {
      const index = colourIndex([part.id]);
      if (index < 0) return [];
      const decoration = Decoration.mark({ class: `operator operator-${index % 8}` });
      return operatorTokens(doc, part, byId).map((range) => ({ range, decoration }));
    }),
  );
}

function litDecorations(doc: Text, parts: readonly Part[], lit: ReadonlySet<number> | null): DecorationSet {
  if (!lit) return Decoration.none;
  return build(
    parts.flatMap((part) => {
      const range = rangeOf(part);
      if (!lit.has(part.id) || !range || range.to > doc.length || range.from >= range.to) return [];
      const index = colourIndex([part.id]);
      return [{ range, decoration: Decoration.mark({ class: `lit-span lit-${index < 0 ? "none" : index % 8}` }) }];
    }),
  );
}

const spans = StateField.define<Spans>({
  create: () => ({ parts: [], colours: Decoration.none, lit: Decoration.none }),
  update(value, transaction) {
    let { parts, colours, lit } = value;
    if (transaction.docChanged) {
      parts = [];
      colours = colours.map(transaction.changes);
      lit = Decoration.none;
    }
    for (const effect of transaction.effects) {
      if (effect.is(setParts)) {
        parts = effect.value;
        colours = colourDecorations(transaction.state.doc, parts);
      }
      if (effect.is(setPointed)) lit = litDecorations(transaction.state.doc, parts, effect.value);
    }
    return { parts, colours, lit };
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.colours),
    EditorView.decorations.from(field, (value) => value.lit),
  ],
});

/// The smallest part around a place in the text, and those it shares a head with are not meant.
function partAt(view: EditorView, position: number): ReadonlySet<number> | null {
  let best: Part | null = null;
  for (const part of view.state.field(spans).parts) {
    const range = rangeOf(part);
    if (!range || position < range.from || position >= range.to) continue;
    const size = range.to - range.from;
    if (!best || size < (best.to ?? 0) - (best.from ?? 0)) best = part;
  }
  return best ? new Set([best.id]) : null;
}

const pointer = EditorView.domEventHandlers({
  mousemove(event, view) {
    const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
    point(position === null ? null : partAt(view, position));
  },
  mouseleave: () => point(null),
});

const follower = ViewPlugin.fromClass(
  class {
    constructor(view: EditorView) {
      pointed.on((parts) => view.dispatch({ effects: setPointed.of(parts) }));
    }
    update(update: ViewUpdate): void {
      if (!update.selectionSet || update.docChanged || !update.view.hasFocus) return;
      const parts = partAt(update.view, update.state.selection.main.head);
      queueMicrotask(() => point(parts));
    }
  },
);

export const operatorSpans = [spans, pointer, follower];
