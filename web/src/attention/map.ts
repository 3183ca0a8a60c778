// One head's attention as a picture: row i is the query, column j the key; ground is no weight, full colour all of it.
import { isDark } from "../palette";

export interface Weights {
  n: number;
  /// By rows; −1 where the mask hides the key, NaN where the weight is no number.
  values: Float32Array;
}

export function decodeWeights(base64: string, n: number): Weights {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; ++at) bytes[at] = text.charCodeAt(at);
  return { n, values: new Float32Array(bytes.buffer) };
}

type Rgb = [number, number, number];

function parse(hex: string): Rgb {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb;
}

const mix = (a: Rgb, b: Rgb, t: number): Rgb => [0, 1, 2].map((c) => (a[c] ?? 0) + ((b[c] ?? 0) - (a[c] ?? 0)) * t) as Rgb;

/// A pixel as it lies in memory: red first, on the little-endian machines that browsers run on.
const packed = ([r, g, b]: Rgb): number => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;

const kBroken = packed([213, 94, 0]);
const ramps = new Map<string, Uint32Array>();

/// 256 steps from the ground through the colour to its strongest; the root makes small weights visible.
function ramp(colour: string): Uint32Array {
  const key = `${colour} ${isDark()}`;
  const known = ramps.get(key);
  if (known) return known;
  const ground: Rgb = isDark() ? [30, 33, 40] : [250, 249, 245];
  const middle = parse(colour);
  const strong = mix(middle, isDark() ? [255, 255, 255] : [0, 0, 0], 0.35);
  const steps = Uint32Array.from({ length: 256 }, (_, step) => {
    const x = Math.sqrt(step / 255);
    return packed(x < 0.7 ? mix(ground, middle, x / 0.7) : mix(middle, strong, (x - 0.7) / 0.3));
  });
  ramps.set(key, steps);
  return steps;
}

/// Hidden keys stay transparent.
function pixels({ n, values }: Weights, colour: string): ImageData {
  const steps = ramp(colour);
  const image = new ImageData(n, n);
  const words = new Uint32Array(image.data.buffer);
  for (let at = 0; at < values.length; ++at) {
    const weight = values[at] as number;
    if (weight < 0) continue;
    words[at] = weight <= 1.0001 ? (steps[Math.min(255, Math.round(weight * 255))] as number) : kBroken;
  }
  return image;
}

/// Between the weights and their place on the screen; one is enough for all heads.
const small = new OffscreenCanvas(1, 1);

/// Draws all weights at once, a cell as many whole pixels of the screen as fit, at least one.
export function drawMap(canvas: HTMLCanvasElement, weights: Weights, colour: string, side: number): void {
  const scale = window.devicePixelRatio || 1;
  const cell = Math.max(1, Math.floor((side * scale) / weights.n));
  const size = cell * weights.n;
  if (canvas.width !== size || canvas.height !== size) {
    canvas.width = canvas.height = size;
    canvas.style.width = canvas.style.height = `${size / scale}px`;
  }
  small.width = small.height = weights.n;
  small.getContext("2d")?.putImageData(pixels(weights, colour), 0, 0);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, size, size);
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
