// The certificate as a picture: for every format how far each promise reaches, on a logarithmic scale of lengths; crosses
// where a word is known to fail.
import { scaleLog } from "d3-scale";
import type { CertificateEntry, FormatCertificate } from "../api/types";
import { s, type Child } from "../dom";
import { lengthText, superscript } from "../numbers";
import type { Finding } from "./failures";

export const kSummations = ["any", "normalise-last", "exact-count"];
const kEnd = 2 ** 53;
const kLeft = 48;
const kRow = 66;
const kBars = 27;
const kTop = 26;

interface Axis {
  (length: number): number | undefined;
  range(): number[];
}

const end = (entry: CertificateEntry): number => (entry.unlimited ? kEnd : Math.max(1, entry.length));

/// The promises of a format share its height; most have only one, to any engine.
function bar(entry: CertificateEntry, y: number, height: number, x: Axis): SVGElement {
  const index = kSummations.indexOf(entry.summation);
  const from = x(1) ?? 0;
  const to = x(end(entry)) ?? from;
  const nothing = entry.length === 0 && !entry.unlimited;
  return s(
    "g",
    {},
    s("title", {}, `${entry.summation}: ${entry.unlimited ? "any length" : nothing ? "not even one position" : `n ≤ ${entry.length}`}${entry.reason ? `; ${entry.reason}` : ""}`),
    nothing
      ? s("line", { x1: from, x2: from, y1: y, y2: y + height, class: "no-promise" })
      : s("rect", { x: from, y, width: Math.max(2, to - from), height, rx: 2, class: `promise promise-${index}` }),
    entry.unlimited && s("path", { d: `M${to},${y - 1} L${to + 7},${y + height / 2} L${to},${y + height + 1} Z`, class: `promise promise-${index}` }),
  );
}

function promise(entry: CertificateEntry): string {
  if (entry.unlimited) return "any length";
  return entry.length === 0 ? "no length" : `n ≤ ${lengthText(entry.length)}`;
}

/// What the promise to any engine is, and what stops it.
function caption(certificate: FormatCertificate, room: number): string {
  const any = certificate.entries.find((entry) => entry.summation === "any") ?? certificate.entries[0];
  if (!any) return "no certificate";
  const limit = any.limiting_head ? `, limited by ${any.limiting_head}` : any.reason ? `: ${any.reason}` : "";
  const text = promise(any) + limit;
  const most = Math.floor(room / 6.1);
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function finding(found: Finding | undefined, y: number, x: Axis): Child[] {
  if (!found) return [];
  const at = x(Math.max(1, found.failure?.length ?? found.searched)) ?? 0;
  if (!found.failure) {
    return [s("g", {}, s("title", {}, `no failure found up to n = ${found.searched}`),
      s("line", { x1: at, x2: at, y1: y - 3, y2: y + kBars + 1, class: "searched" }))];
  }
  const middle = y + kBars / 2 - 1;
  return [
    s("g", { class: "failure" },
      s("title", {}, `fails at n = ${found.failure.length}: ${found.failure.family}`),
      s("path", { d: `M${at - 6},${middle - 6} l12,12 m0,-12 l-12,12` }),
      s("text", { x: at + 9, y: middle + 4 }, `fails at ${lengthText(found.failure.length)}`)),
  ];
}

function ticks(x: Axis, height: number, narrow: boolean): SVGElement[] {
  const exponents = narrow ? [0, 3, 6, 9, 12, 15] : [0, 2, 4, 6, 8, 10, 12, 14];
  return exponents.map((exponent) => {
    const at = x(10 ** exponent) ?? 0;
    return s("g", { class: "axis" },
      s("line", { x1: at, x2: at, y1: kTop - 6, y2: height - 4 }),
      s("text", { x: at, y: 12, "text-anchor": "middle" }, exponent === 0 ? "n = 1" : `10${superscript(exponent)}`));
  });
}

export interface ChartData {
  certificates: readonly FormatCertificate[];
  findings: ReadonlyMap<string, Finding>;
  length: number;
  lengthFormat: string;
}

export function chart(data: ChartData, width: number): SVGSVGElement {
  const x = scaleLog().domain([1, kEnd]).range([kLeft, width - 18]);
  const height = kTop + kRow * data.certificates.length;
  const rows = data.certificates.flatMap((certificate, index) => {
    const y = kTop + index * kRow + 4;
    const each = kBars / Math.max(1, certificate.entries.length);
    const entries = certificate.entries.map((entry, at) => bar(entry, y + at * each, each - 2, x));
    return [
      s("text", { x: 0, y: y + 17, class: "format-name" }, certificate.format),
      ...entries,
      s("text", { x: kLeft, y: y + kBars + 13, class: "caption" }, caption(certificate, width - kLeft - 10)),
      ...finding(data.findings.get(certificate.format), y, x),
    ];
  });
  const at = x(Math.max(1, data.length));
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img", "aria-label": "Certified lengths by number format, logarithmic" },
    ...ticks(x, height, width < 560),
    s("line", { x1: at, x2: at, y1: kTop - 6, y2: height - 4, class: "length-mark" }),
    ...rows,
  );
}
