// The network in a few numbers, as `quench compile` prints them.
import type { Compiled, FormatCertificate } from "../api/types";
import { fill, h } from "../dom";
import { lengthText, milliseconds, plural, withCommas } from "../numbers";
import { certificate, compiled, compileTrouble, compiling } from "../store";

function row(term: string, testid: string, ...definition: (string | Node)[]): HTMLElement[] {
  return [h("dt", {}, term), h("dd", { "data-testid": `summary-${testid}` }, ...definition)];
}

const unique = (values: readonly string[]): string => [...new Set(values)].join(", ") || "none";

/// The promise that needs to know least about an engine.
function certified(formats: ReadonlyMap<string, FormatCertificate>): string {
  const lengths = [...formats.values()].map(({ format, entries }) => {
    const any = entries.find((entry) => entry.summation === "any") ?? entries[0];
    if (!any) return `${format} –`;
    return `${format} ${any.unlimited ? "any length" : any.length === 0 ? "none" : `n ≤ ${lengthText(any.length)}`}`;
  });
  return lengths.join(" · ");
}

function rows({ summary, milliseconds: time }: Compiled): HTMLElement[] {
  const formats = certificate.get();
  return [
    ...row("logic", "logic", summary.logic),
    ...row("recipe", "recipe", `${summary.recipe} · ${summary.kind}`),
    ...row(
      "size", "size",
      `${plural(summary.layers, "layer")}, ${plural(summary.heads, "head")}, width ${summary.width}, ` +
        `${plural(summary.hidden_units, "hidden unit")}`,
    ),
    ...row("parameters", "parameters", `${withCommas(summary.parameters)} (${withCommas(summary.nonzero_parameters)} nonzero), for words of every length`),
    ...row("temperature", "temperature", unique(summary.temperatures)),
    ...row("positions", "positions", unique(summary.position_encodings)),
    ...row("certified", "certified", formats.size > 0 ? certified(formats) : "being proved …"),
    ...row("compiled", "time", `in ${milliseconds(time)}`),
  ];
}

export function showSummary(parent: HTMLElement): void {
  const draw = (): void => {
    const network = compiled.get();
    const trouble = compileTrouble.get();
    parent.dataset["rule"] = network?.summary.source.trim() ?? "";
    const stale = trouble !== null || compiling.get();
    parent.classList.toggle("stale", stale);
    document.body.classList.toggle("stale", stale);
    fill(
      parent,
      network ? h("dl", {}, ...rows(network)) : h("p", { class: "empty" }, "No network yet: write a rule above."),
      trouble && network ? h("p", { class: "note" }, "These numbers, and what is on the right, are of the last rule that could be compiled.") : null,
    );
  };
  compiled.on(draw);
  compileTrouble.on(draw);
  compiling.on(draw);
  certificate.on(draw);
  draw();
}
