// What came of the long words of one network: a line per length, and the neighbourhood of the first wrong position.
import type { LengthLine } from "../api/types";
import { fill, h } from "../dom";
import { milliseconds, withCommas } from "../numbers";
import type { Track } from "./race";

function line(result: LengthLine): HTMLElement {
  const share = h("i", {});
  share.style.width = `${Math.min(100, (100 * result.wrong) / result.length)}%`;
  const right = result.wrong === 0;
  return h(
    "tr",
    { class: right ? "right" : "wrong", "data-testid": "length-line", "data-wrong": result.wrong },
    h("td", { class: "mark" }, right ? "✓" : "✕"),
    h("td", { class: "number" }, withCommas(result.length)),
    h("td", { class: "number" }, right ? "all right" : `${withCommas(result.wrong)} wrong`),
    h("td", { class: "share" }, h("span", {}, share)),
    h("td", { class: "number" }, result.first_wrong === null ? "" : `first at ${withCommas(result.first_wrong)}`),
    h("td", { class: "number time" }, milliseconds(result.milliseconds.network)),
  );
}

function around(result: LengthLine): HTMLElement | null {
  if (!result.around) return null;
  const { from, symbols, expected, got } = result.around;
  const cells = (title: string, values: string[], mark: boolean): HTMLElement =>
    h("tr", {}, h("th", { scope: "row" }, title),
      ...values.map((value, index) => h("td", { class: mark && expected[index] !== got[index] ? "wrong" : "" }, value)));
  return h(
    "div",
    { class: "scroll around" },
    h("p", { class: "note" }, `n = ${withCommas(result.length)}, from position ${withCommas(from)}:`),
    h(
      "table",
      { class: "answers" },
      h("tbody", {}, cells("word", symbols, false), cells("rule", expected, false), cells("network", got, true),
        cells("", symbols.map((_, index) => (expected[index] === got[index] ? "" : "✕")), true)),
    ),
  );
}

export function showTrack(parent: HTMLElement, title: string, subtitle: string, track: Track): void {
  const firstWrong = track.lines.find((result) => result.wrong > 0);
  const status =
    track.status === "idle" ? "Move the slider, or press Run." :
    track.status === "running" ? "running …" :
    track.message;
  fill(
    parent,
    h("h3", {}, title),
    h("p", { class: "note" }, subtitle),
    track.lines.length > 0 && h("table", { class: "lengths" }, h("tbody", {}, ...track.lines.map(line))),
    status && h("p", { class: track.status === "failed" ? "empty" : "note", "data-testid": "track-status" }, status),
    firstWrong && around(firstWrong),
  );
}
