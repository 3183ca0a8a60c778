// Values of named coordinates over positions, as cells on a canvas: quick to draw, and reachable by mouse and by arrow
// keys. A chosen cell is patched.
import { h } from "../dom";
import { textOnValue, valueColour } from "../palette";
import { valueText } from "../numbers";

export interface GridRow {
  tenant: number;
  name: string;
  boolean: boolean;
  values: readonly (number | null)[];
  /// Positions (from 0) that were set by hand.
  patched: ReadonlySet<number>;
}

export interface Cell {
  row: number;
  column: number;
}

export const kRowHeight = 20;

export function cellWidth(n: number, available: number): number {
  return Math.max(5, Math.min(34, Math.floor(available / Math.max(n, 1))));
}

function paintCell(context: CanvasRenderingContext2D, value: number | null, x: number, y: number, width: number): void {
  if (value === null) {
    context.strokeStyle = "#d55e00";
    context.strokeRect(x + 2.5, y + 2.5, width - 6, kRowHeight - 6);
    return;
  }
  context.fillStyle = valueColour(value);
  context.fillRect(x, y, width - 1, kRowHeight - 1);
  if (width < 17) return;
  const text = Number.isInteger(value) || width < 30 ? (Number.isInteger(value) ? valueText(value) : "") : value.toFixed(2).replace("-", "−");
  if (!text || text.length * 6 > width) return;
  context.fillStyle = textOnValue(value);
  context.fillText(text, x + (width - 1) / 2, y + kRowHeight / 2 + 0.5);
}

function paintFrame(context: CanvasRenderingContext2D, x: number, y: number, width: number, colour: string, dash: number[]): void {
  context.setLineDash(dash);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(x + 1, y + 1, width - 3, kRowHeight - 3);
  context.setLineDash([]);
}

/// Makes a canvas so large, sharp on every screen, and ready for small text in the middle of cells.
function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.scale(scale, scale);
  context.font = "10.5px ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', monospace";
  context.textAlign = "center";
  context.textBaseline = "middle";
  return context;
}

function paint(canvas: HTMLCanvasElement, rows: readonly GridRow[], width: number, cursor: Cell | null): void {
  const context = sized(canvas, (rows[0]?.values.length ?? 0) * width, rows.length * kRowHeight);
  if (!context) return;
  rows.forEach((row, index) => {
    row.values.forEach((value, column) => {
      paintCell(context, value, column * width, index * kRowHeight, width);
      if (row.patched.has(column)) paintFrame(context, column * width, index * kRowHeight, width, "#d55e00", []);
    });
  });
  if (cursor) paintFrame(context, cursor.column * width, cursor.row * kRowHeight, width, getComputedStyle(canvas).color, [3, 2]);
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}

const kArrows: Record<string, Cell> = {
  ArrowUp: { row: -1, column: 0 }, ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 }, ArrowRight: { row: 0, column: 1 },
};

/// The symbols of the word above the columns; where they are narrow, every tenth position instead.
export function heading(symbols: readonly string[], width: number): HTMLCanvasElement {
  const canvas = h("canvas", { class: "cells-heading", "aria-hidden": "true" });
  const context = sized(canvas, symbols.length * width, 16);
  if (!context) return canvas;
  context.fillStyle = getComputedStyle(document.body).color;
  symbols.forEach((symbol, index) => {
    const fits = context.measureText(symbol).width < width;
    const text = fits ? symbol : (index + 1) % 10 === 0 ? String(index + 1) : "";
    context.fillText(text, (index + 0.5) * width, 9);
  });
  return canvas;
}

/// Where the cursor of a grid was, by its label: a grid is drawn anew with every answer, and one goes on where one was.
const cursors = new Map<string, Cell>();

/// A canvas of cells; `say` gets what the cursor is on, `choose` the cell that was clicked. It stays while values change.
export class Grid {
  readonly canvas: HTMLCanvasElement;
  readonly #label: string;
  readonly #say: (text: string) => void;
  readonly #choose: (row: GridRow, column: number) => void;
  #rows: readonly GridRow[] = [];
  #width = 0;
  #cursor: Cell | null = null;

  constructor(label: string, say: (text: string) => void, choose: (row: GridRow, column: number) => void) {
    this.#label = label;
    this.#say = say;
    this.#choose = choose;
    this.canvas = h("canvas", { class: "cells", tabindex: 0, role: "application", "aria-label": `${label}. Arrow keys move, Enter patches.` });
    this.canvas.addEventListener("pointermove", (event) => this.#follow(event));
    this.canvas.addEventListener("pointerleave", () => this.#move(null));
    this.canvas.addEventListener("focus", () => this.canvas.matches(":focus-visible") && this.#move(cursors.get(label) ?? null));
    this.canvas.addEventListener("blur", () => this.#move(null));
    this.canvas.addEventListener("click", () => this.#chooseHere());
    this.canvas.addEventListener("keydown", (event) => this.#press(event));
  }

  show(rows: readonly GridRow[], width: number): void {
    this.#rows = rows;
    this.#width = width;
    paint(this.canvas, rows, width, this.#cursor);
  }

  #cell(row: number, column: number): Cell {
    const n = this.#rows[0]?.values.length ?? 0;
    return { row: clamp(row, this.#rows.length - 1), column: clamp(column, n - 1) };
  }

  #move(next: Cell | null): void {
    const cursor = next && this.#cell(next.row, next.column);
    if (cursor?.row === this.#cursor?.row && cursor?.column === this.#cursor?.column) return;
    this.#cursor = cursor;
    if (cursor) cursors.set(this.#label, cursor);
    paint(this.canvas, this.#rows, this.#width, cursor);
    const row = cursor && this.#rows[cursor.row];
    this.#say(cursor && row ? `${row.name} at ${cursor.column + 1}: ${row.values[cursor.column] ?? "none"}` : "");
  }

  #follow(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    this.#move({ row: Math.floor((event.clientY - box.top) / kRowHeight), column: Math.floor((event.clientX - box.left) / this.#width) });
  }

  #chooseHere(): void {
    const row = this.#cursor && this.#rows[this.#cursor.row];
    if (this.#cursor && row) this.#choose(row, this.#cursor.column);
  }

  #press(event: KeyboardEvent): void {
    const step = kArrows[event.key];
    if (step) {
      const from = this.#cursor ?? { row: 0, column: -1 };
      this.#move({ row: from.row + step.row, column: from.column + step.column });
    } else if (event.key === "Enter") {
      this.#chooseHere();
    } else return;
    event.preventDefault();
  }
}
