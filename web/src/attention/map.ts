// One head's attention as a picture: row i is the query, column j the key; ground is no weight, full colour all of it.
import { isDark } from "../palette";

export interface Weights {
  n: number;
  /// By rows; −1 where the mask hides the key, NaN where the weight is no number.
  values: Float32Array;
}

export function decodeWeights(base64: string, n: number): Weights {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return { n, values: new Float32Array(bytes.buffer) };
}

type Rgb = [number, number, number];

function parse(hex: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb;
}

const mix = (a: Rgb, b: Rgb, t: number): Rgb => [0, 1, 2].map((c) => (a[c] ?? 0) + ((b[c] ?? 0) - (a[c] ?? 0)) * t) as Rgb;

/// 256 steps from the ground through the colour to its strongest; the root makes small weights visible.
function ramp(colour: string): Rgb[] {
  const ground: Rgb = isDark() ? [30, 33, 40] : [250, 249, 245];
  const strong = mix(parse(colour), isDark() ? [255, 255, 255] : [0, 0, 0], 0.35);
  const middle = parse(colour);
  return Array.from({ length: 256 }, (_, step) => {
    const x = Math.sqrt(step / 255);
    return x < 0.7 ? mix(ground, middle, x / 0.7) : mix(middle, strong, (x - 0.7) / 0.3);
  });
}

const kBroken: Rgb = [213, 94, 0];

function pixels(weights: Weights, colour: string): ImageData {
  const steps = ramp(colour);
  const image = new ImageData(weights.n, weights.n);
  weights.values.forEach((weight, index) => {
    if (weight < 0) return;
    const [r, g, b] = Number.isNaN(weight) ? kBroken : (steps[Math.min(255, Math.round(weight * 255))] ?? kBroken);
    image.data.set([r, g, b, 255], 4 * index);
  });
  return image;
}

/// Draws all weights at once, a cell as many whole pixels of the screen as fit, at least one.
export function drawMap(canvas: HTMLCanvasElement, weights: Weights, colour: string, side: number): void {
  const scale = window.devicePixelRatio || 1;
  const cell = Math.max(1, Math.floor((side * scale) / weights.n));
  const size = cell * weights.n;
  canvas.width = canvas.height = size;
  canvas.style.width = canvas.style.height = `${size / scale}px`;
  const small = new OffscreenCanvas(weights.n, weights.n);
  small.getContext("2d")?.putImageData(pixels(weights, colour), 0, 0);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, size, size);
}

/// The cell under a point of the canvas, from 0.
export function cellAt(canvas: HTMLCanvasElement, event: MouseEvent, n: number): { row: number; column: number } | null {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * n);
  const row = Math.floor(((event.clientY - box.top) / box.height) * n);
  return row >= 0 && row < n && column >= 0 && column < n ? { row, column } : null;
}
