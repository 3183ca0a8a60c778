// The temperature slider: whole steps, a quarter of an octave each, with the two limits at its ends.

export const kColdest = -25;
export const kWarmest = 49;

/// What every head's temperature is multiplied with: 0 is hard attention, "uniform" looks everywhere alike.
export function factor(step: number): number | "uniform" {
  if (step <= kColdest) return 0;
  if (step >= kWarmest) return "uniform";
  return 2 ** (step / 4);
}

/// For people.
export function describe(step: number): string {
  if (step <= kColdest) return "hard: τ → 0";
  if (step >= kWarmest) return "uniform: τ → ∞";
  if (step === 0) return "as compiled";
  const times = 2 ** (step / 4);
  if (times >= 1) return `${times < 10 ? times.toFixed(1) : Math.round(times)} × as warm`;
  const cooler = 1 / times;
  return `${cooler < 10 ? cooler.toFixed(1) : Math.round(cooler)} × as cold`;
}
