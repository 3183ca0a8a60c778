// Elements in one expression: h("p", { class: "note" }, "text", child). Text is always text, never markup.

type Value = string | number | boolean | null | undefined | EventListener;
export type Attributes = Record<string, Value>;
export type Child = Node | string | number | null | undefined | false;

function apply(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, attributes);
  append(element, children);
  return element;
}

const kSvg = "http://www.w3.org/2000/svg";

/// The same for drawings.
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(kSvg, tag);
  apply(element, attributes);
  append(element, children);
  return element;
}

/// What stands in the page by this id. The page is ours, so it is there.
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page lacks #${id}`);
  return element;
}

/// Replaces all that is inside.
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}
