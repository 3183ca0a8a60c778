// Which colour an operator has: every head's operators share one, in the order of the heads, and what stands for an
// operator anywhere takes its colour. Parts without a head of their own are neutral.
import type { Network } from "./api/types";
import { operatorColour } from "./palette";
import { compiled } from "./store";

let indexOfPart = new Map<number, number>();

function assign(network: Network): Map<number, number> {
  const indices = new Map<number, number>();
  let next = 0;
  for (const head of network.layers.flatMap((layer) => layer.heads)) {
    const known = head.parts.map((part) => indices.get(part)).find((index) => index !== undefined);
    const index = known ?? next++;
    for (const part of head.parts) if (!indices.has(part)) indices.set(part, index);
  }
  return indices;
}

compiled.on((now) => {
  indexOfPart = now ? assign(now.network) : new Map();
});

/// The number of the colour of something that stands for these parts; −1 for neutral.
export function colourIndex(parts: readonly number[]): number {
  for (const part of parts) {
    const index = indexOfPart.get(part);
    if (index !== undefined) return index;
  }
  return -1;
}

export function colourOf(parts: readonly number[]): string {
  return operatorColour(colourIndex(parts));
}
