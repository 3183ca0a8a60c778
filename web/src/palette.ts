// Colours that differ for people who do not tell red from green: Okabe and Ito's for things with a name, a ramp of one
// hue and falling lightness for quantities. Every colour is doubled by a name or a shape somewhere.

/// Of operators, in light and dark. Black and pale yellow are left out: they are hard to see on one of the two grounds.
const kLight = ["#0072b2", "#c25a00", "#00805c", "#b3478a", "#8a6d00", "#2f93c9", "#6b4fa0", "#a33a2f"];
const kDark = ["#56b4e9", "#f0a04b", "#3cc99a", "#e08fc0", "#d9c04a", "#8fd0f5", "#b7a1ea", "#f08a7c"];

export function isDark(): boolean {
  return document.documentElement.dataset["theme"] === "dark";
}

/// The colour of the operator with this number; negative for what belongs to none.
export function operatorColour(index: number): string {
  if (index < 0) return isDark() ? "#9aa1ad" : "#6a7180";
  const list = isDark() ? kDark : kLight;
  return list[index % list.length] ?? "#888888";
}

type Rgb = readonly [number, number, number];
const kRampLight: readonly Rgb[] = [[251, 250, 247], [199, 220, 232], [104, 162, 200], [24, 96, 150], [8, 38, 84]];
const kRampDark: readonly Rgb[] = [[27, 30, 36], [30, 66, 96], [38, 118, 168], [104, 182, 222], [236, 246, 252]];

function along(ramp: readonly Rgb[], x: number): Rgb {
  const at = Math.min(Math.max(x, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const a = ramp[low] as Rgb;
  const b = ramp[low + 1] as Rgb;
  const t = at - low;
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

/// The colour of a weight from 0 to 1; the root makes small weights visible.
export function weightColour(weight: number): string {
  const [r, g, b] = along(isDark() ? kRampDark : kRampLight, Math.sqrt(weight));
  return `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`;
}

const kBelow: readonly Rgb[] = [[251, 250, 247], [236, 200, 160], [194, 90, 0]];
const kBelowDark: readonly Rgb[] = [[27, 30, 36], [110, 66, 24], [240, 160, 75]];

/// The colour of a value: 0 is the ground, 1 the far end of the ramp, negative values go to orange.
export function valueColour(value: number): string {
  const ramp = value < 0 ? (isDark() ? kBelowDark : kBelow) : isDark() ? kRampDark : kRampLight;
  const size = Math.abs(value);
  const [r, g, b] = along(ramp, size <= 1 ? size * 0.75 : 0.75 + 0.25 * (1 - 1 / size));
  return `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`;
}

/// Whether text on this value's colour should be light.
export function textOnValue(value: number): string {
  const strong = Math.abs(value) > 0.55;
  return strong === isDark() ? "#14171c" : "#ffffff";
}
