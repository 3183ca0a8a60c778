// The network as a drawing: coordinates are lines from birth to death, heads and feed-forward units bars across the lines
// that they read (open marks) and write (filled marks).
import type { Compiled } from "../api/types";
import { colourOf } from "../colours";
import { s, type Child } from "../dom";
import { linked } from "../links";
import { kLeft, kTop, plan, rowY, type Column, type Lane, type Line, type Mark, type MarkShape, type Plan } from "./plan";

const kOffset: Record<MarkShape, number> = { query: -8, key: 0, value: 8, read: 0, write: 0 };

/// One mark, about the origin.
export function markShape(shape: MarkShape, colour: string): SVGElement {
  const open = { fill: "var(--ground)", stroke: colour, "stroke-width": 1.4 };
  switch (shape) {
    case "query":
      return s("rect", { x: -3.2, y: -3.2, width: 6.4, height: 6.4, ...open });
    case "key":
      return s("path", { d: "M0,-4.4 L4.4,0 L0,4.4 L-4.4,0 Z", ...open });
    case "value":
    case "read":
      return s("circle", { r: shape === "read" ? 2.6 : 3.4, ...open });
    case "write":
      return s("path", { d: "M-4,-4.4 L5,0 L-4,4.4 Z", fill: colour, stroke: "var(--ground)", "stroke-width": 0.8 });
  }
}

function shortened(text: string, pixels: number): string {
  const most = Math.max(2, Math.floor(pixels / 5.9));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function drawColumn(column: Column, plan: Plan): SVGElement {
  const embedding = column.sublayer === 0;
  return s(
    "g",
    { class: "column" },
    s("rect", {
      x: column.x, y: kTop - 6, width: column.width, height: plan.height - kTop + 2, rx: 4,
      class: column.sublayer % 2 === 1 ? "column-attention" : "column-forward",
    }),
    s(
      "text",
      { x: embedding ? column.x : column.x + column.width / 2, y: 14, "text-anchor": embedding ? "start" : "middle", class: "column-title" },
      column.title,
    ),
  );
}

/// The name of a tenant stands in the first channel that its line runs through.
function drawName(line: Line, plan: Plan, colour: string): SVGElement | null {
  const column = plan.columns[line.tenant.from];
  if (!column) return null;
  const x = column.x + column.width + 4;
  const room = Math.min(line.end, x + plan.channel - 6) - x;
  return room > 16 ? s("text", { x, y: line.y - 3.5, class: "tenant-name", fill: colour }, shortened(line.tenant.name, room)) : null;
}

function drawLine(line: Line, plan: Plan, output: boolean): SVGElement {
  const { tenant } = line;
  const colour = colourOf(tenant.parts);
  const end = line.lasts
    ? s("path", { d: `M${line.end - 6},${line.y - 4} L${line.end},${line.y} L${line.end - 6},${line.y + 4}`, fill: "none", stroke: colour, "stroke-width": 1.6 })
    : s("line", { x1: line.end, x2: line.end, y1: line.y - 4, y2: line.y + 4, stroke: colour, "stroke-width": 1.2 });
  return s(
    "g",
    { class: output ? "tenant output" : "tenant", ...linked(tenant.parts), "data-tenant": tenant.id },
    s("title", {}, `x${tenant.coordinate}: ${tenant.name}${output ? " (the output)" : ""}`),
    s("line", { x1: line.start, x2: line.end, y1: line.y, y2: line.y, stroke: "transparent", "stroke-width": 12 }),
    s("line", { x1: line.start, x2: line.end, y1: line.y, y2: line.y, stroke: colour, "stroke-width": output ? 2.6 : 1.5, class: "stem" }),
    s("circle", { cx: line.start, cy: line.y, r: 2.2, fill: colour }),
    end,
    drawName(line, plan, colour),
  );
}

/// Several marks of a lane on one line stand side by side.
function markX(lane: Lane, mark: Mark): number {
  const same = lane.marks.filter((other) => other.coordinate === mark.coordinate);
  return lane.x + (lane.head && same.length > 1 ? kOffset[mark.shape] : 0);
}

function describe(lane: Lane): string {
  const count = (shapes: MarkShape[]): number => lane.marks.filter((mark) => shapes.includes(mark.shape)).length;
  return `${lane.title}; reads ${count(["query", "key", "value", "read"])}, writes ${count(["write"])}`;
}

function drawLane(lane: Lane, plan: Plan, select: (lane: Lane) => void): SVGElement {
  const colour = colourOf(lane.parts);
  const children: Child[] = [
    s("title", {}, lane.title),
    s("rect", { x: lane.x - (lane.head ? 13 : 7), y: kTop - 20, width: lane.head ? 26 : 14, height: lane.bottom - kTop + 28, fill: "transparent", class: "hit" }),
    s("line", { x1: lane.x, x2: lane.x, y1: lane.head ? kTop - 6 : lane.top, y2: lane.bottom, stroke: colour, class: "bar", "stroke-width": lane.head ? 4 : 2.4 }),
    lane.head && s("text", { x: lane.x, y: kTop - 11, "text-anchor": "middle", class: "head-label", fill: colour }, lane.label),
    ...lane.marks.map((mark) =>
      s("g", { transform: `translate(${markX(lane, mark)},${rowY(plan, mark.coordinate)})` }, markShape(mark.shape, colour))),
  ];
  const group = s("g", {
    class: lane.head ? "lane head" : "lane units", ...linked(lane.parts), tabindex: lane.head ? 0 : null,
    role: lane.head ? "button" : "img", "aria-label": describe(lane), "data-head": lane.head?.id ?? null,
    "data-testid": lane.head ? `lane-${lane.head.id}` : null,
  }, ...children);
  if (lane.head) {
    group.addEventListener("click", () => select(lane));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      select(lane);
    });
  }
  return group;
}

/// The drawing as wide as there is room, or wider, if it needs that.
export function draw(network: Compiled, available: number, select: (lane: Lane) => void): SVGSVGElement {
  const where = plan(network.network, available);
  const outputs = new Set(network.network.output.tenants);
  const rows = Array.from({ length: network.network.width }, (_, coordinate) =>
    s("text", { x: kLeft - 8, y: rowY(where, coordinate) + 3.5, "text-anchor": "end", class: "row-label" }, `x${coordinate}`));
  const lines = where.lines.map((line) => drawLine(line, where, outputs.has(line.tenant.id)));
  return s(
    "svg",
    {
      viewBox: `0 0 ${where.width} ${where.height}`, width: where.width, height: where.height, class: "drawing", role: "group",
      "aria-label": `The network: ${network.network.layers.length} layers, ${network.network.width} coordinates`,
    },
    ...where.columns.map((column) => drawColumn(column, where)),
    ...rows,
    ...lines,
    ...where.columns.flatMap((column) => column.lanes.map((lane) => drawLane(lane, where, select))),
  );
}
