// Pointing at one thing lights up all that stand for the same parts of the rule. Whoever draws such a thing marks it with
// `linked`; the rest happens here, for mouse and keyboard alike.
import { Signal } from "./signal";

/// The parts pointed at; null if nothing is.
export const pointed = new Signal<ReadonlySet<number> | null>(null);

const kParts = "data-parts";

/// Attributes of an element that stands for these parts.
export function linked(parts: readonly number[]): Record<string, string> {
  return parts.length > 0 ? { [kParts]: parts.join(" ") } : {};
}

function partsOf(target: EventTarget | null): ReadonlySet<number> | null {
  const element = target instanceof Element ? target.closest(`[${kParts}]`) : null;
  const listed = element?.getAttribute(kParts);
  return listed ? new Set(listed.split(" ").map(Number)) : null;
}

function same(a: ReadonlySet<number> | null, b: ReadonlySet<number> | null): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && [...a].every((part) => b.has(part));
}

export function point(parts: ReadonlySet<number> | null): void {
  if (!same(parts, pointed.get())) pointed.set(parts);
}

function light(parts: ReadonlySet<number> | null): void {
  document.body.classList.toggle("pointing", parts !== null);
  for (const element of document.querySelectorAll(`[${kParts}]`)) {
    const own = element.getAttribute(kParts)?.split(" ") ?? [];
    element.classList.toggle("lit", parts !== null && own.some((part) => parts.has(Number(part))));
  }
}

/// Things drawn while something is pointed at are lit, too.
export function relight(): void {
  light(pointed.get());
}

export function followPointer(root: HTMLElement): void {
  root.addEventListener("pointerover", (event) => point(partsOf(event.target)));
  root.addEventListener("pointerleave", () => point(null));
  root.addEventListener("focusin", (event) => point(partsOf(event.target)));
  root.addEventListener("focusout", () => point(null));
  pointed.on(light);
}
