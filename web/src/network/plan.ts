// Where everything of the drawing goes: one row per coordinate, one column per sublayer, in a column one lane per head or
// group of feed-forward units. Columns are parted by channels, in which lines run and names stand.
import type { Access, Head, Network, Tenant, Unit } from "../api/types";

export type MarkShape = "query" | "key" | "value" | "read" | "write";

export interface Mark {
  shape: MarkShape;
  coordinate: number;
  tenant: number | null;
}

export interface Lane {
  x: number;
  label: string;
  title: string;
  head: Head | null;
  parts: number[];
  marks: Mark[];
  top: number;
  bottom: number;
}

export interface Column {
  sublayer: number;
  title: string;
  x: number;
  width: number;
  lanes: Lane[];
}

export interface Line {
  tenant: Tenant;
  y: number;
  start: number;
  end: number;
  lasts: boolean;
}

export interface Plan {
  width: number;
  height: number;
  rowHeight: number;
  columns: Column[];
  lines: Line[];
  channel: number;
}

export const kLeft = 40;
export const kTop = 46;
const kHeadLane = 30;
const kUnitLane = 15;
const kPadding = 10;
const kEmbedding = 14;

export function rowY(plan: Pick<Plan, "rowHeight">, coordinate: number): number {
  return kTop + plan.rowHeight * (coordinate + 0.5);
}

const marks = (shape: MarkShape, list: readonly Access[]): Mark[] =>
  list.map(({ coordinate, tenant }) => ({ shape, coordinate, tenant }));

type Body = Omit<Lane, "x" | "top" | "bottom">;

function headLane(head: Head): Body {
  return {
    label: head.id, head, parts: head.parts,
    title: `head ${head.id}: ${head.name}`,
    marks: [
      ...marks("query", head.queries), ...marks("key", head.keys),
      ...marks("value", head.values), ...marks("write", head.writes),
    ],
  };
}

/// Marks of several units, each coordinate once.
function merged(shape: MarkShape, lists: readonly Access[][]): Mark[] {
  const byCoordinate = new Map(lists.flat().map((access) => [access.coordinate, access]));
  return marks(shape, [...byCoordinate.values()]);
}

/// A unit that only takes a coordinate away from itself clears it; the drawing shows that as the end of its line.
function clears(unit: Unit): boolean {
  const [read, written] = [unit.reads[0], unit.writes[0]];
  return unit.reads.length === 1 && unit.writes.length === 1 && read?.coordinate === written?.coordinate;
}

/// Units that write to the same coordinates compute one thing together, and are one lane.
function unitLanes(units: readonly Unit[], tenants: readonly Tenant[]): Body[] {
  const groups = new Map<string, Unit[]>();
  for (const unit of units.filter((one) => !clears(one))) {
    const key = unit.writes.map(({ coordinate }) => coordinate).join(",");
    groups.set(key, [...(groups.get(key) ?? []), unit]);
  }
  return [...groups.values()].map((group) => {
    const names = (group[0]?.writes ?? []).map(({ tenant, coordinate }) =>
      tenant === null ? `x${coordinate}` : (tenants[tenant]?.name ?? `x${coordinate}`));
    return {
      label: "", head: null,
      parts: [...new Set(group.flatMap((unit) => unit.parts))],
      title: `${group.length} ${group.length === 1 ? "unit" : "units"}: ${names.join(", ")}`,
      marks: [...merged("read", group.map((unit) => unit.reads)), ...merged("write", group.map((unit) => unit.writes))],
    };
  });
}

interface Bodies {
  title: string;
  lanes: Body[];
  laneWidth: number;
}

function bodies(network: Network): Bodies[] {
  const columns: Bodies[] = [{ title: "embedding", lanes: [], laneWidth: 0 }];
  network.layers.forEach((layer, index) => {
    columns.push({ title: `attention ${index}`, lanes: layer.heads.map(headLane), laneWidth: kHeadLane });
    columns.push({
      title: `feed-forward ${index}`, lanes: unitLanes(layer.feed_forward.units, network.tenants), laneWidth: kUnitLane,
    });
  });
  return columns;
}

function bodyWidth(body: Bodies, index: number): number {
  const least = index === 0 ? kEmbedding : 72;
  return Math.max(least, body.lanes.length * body.laneWidth + 2 * kPadding);
}

function placed(body: Body, x: number, rowHeight: number): Lane {
  const rows = body.marks.map((mark) => rowY({ rowHeight }, mark.coordinate));
  return { ...body, x, top: Math.min(...rows, kTop + 4), bottom: Math.max(...rows, kTop + 4) };
}

/// A line reaches the last lane that reads it; what nothing reads any more, as the output, reaches the end.
function lineEnd(tenant: Tenant, columns: readonly Column[]): number | null {
  const readers = (columns[tenant.to]?.lanes ?? []).filter((lane) =>
    lane.marks.some((mark) => mark.shape !== "write" && mark.coordinate === tenant.coordinate));
  return tenant.to > tenant.from && readers.length > 0 ? Math.max(...readers.map((lane) => lane.x)) : null;
}

/// A line begins at the lane that writes it.
function lineStart(tenant: Tenant, columns: readonly Column[]): number {
  const column = columns[tenant.from];
  if (!column) return kLeft;
  const writers = column.lanes.filter((lane) =>
    lane.marks.some((mark) => mark.shape === "write" && mark.coordinate === tenant.coordinate));
  return writers.length > 0 ? Math.min(...writers.map((lane) => lane.x)) : column.x + column.width / 2;
}

export function plan(network: Network, available: number): Plan {
  const all = bodies(network);
  const taken = all.reduce((sum, body, index) => sum + bodyWidth(body, index), 0);
  const channel = Math.min(170, Math.max(84, (available - kLeft - taken - 10) / all.length));
  const rowHeight = network.width <= 40 ? 21 : 16;
  let x = kLeft;
  const columns = all.map((body, sublayer) => {
    const width = bodyWidth(body, sublayer);
    const inset = (width - body.lanes.length * body.laneWidth) / 2;
    const start = x;
    const lanes = body.lanes.map((lane, index) => placed(lane, start + inset + (index + 0.5) * body.laneWidth, rowHeight));
    x += width + channel;
    return { sublayer, title: body.title, x: start, width, lanes };
  });
  const width = x;
  const lines = network.tenants.map((tenant) => {
    const end = lineEnd(tenant, columns);
    return {
      tenant, y: rowY({ rowHeight }, tenant.coordinate), start: lineStart(tenant, columns), end: end ?? width - 8, lasts: end === null,
    };
  });
  return { width, height: kTop + rowHeight * network.width + 12, rowHeight, columns, lines, channel };
}
