// A drawing of the page as a file of its own: what style sheets say becomes attributes.

const kProperties = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "paint-order", "opacity", "font-size", "font-family",
  "font-weight", "text-anchor",
];

function inline(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  for (const property of kProperties) to.setAttribute(property, style.getPropertyValue(property));
  for (const name of ["class", "tabindex", "role", "data-parts", "data-tenant", "data-head", "data-testid"]) to.removeAttribute(name);
  [...from.children].forEach((child, index) => {
    const copy = to.children[index];
    if (copy) inline(child, copy);
  });
}

export function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  inline(svg, copy);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
