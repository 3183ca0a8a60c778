// Numbers for people.

export function withCommas(value: number): string {
  return value.toLocaleString("en-US");
}

/// A length: exact while short, otherwise with a power of two where it is one.
export function lengthText(value: number): string {
  if (value < 100000) return withCommas(value);
  const exponent = Math.log2(value);
  if (Number.isInteger(exponent)) return `2${superscript(exponent)}`;
  if (value < 1e7) return withCommas(value);
  const power = Math.floor(Math.log10(value));
  return `${(value / 10 ** power).toFixed(1)}·10${superscript(power)}`;
}

export function superscript(value: number): string {
  const digits: Record<string, string> = {
    "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
  };
  return [...String(value)].map((digit) => digits[digit] ?? digit).join("");
}

/// A value of the network in few characters: 0, 1, 0.25, 1−10⁻¹⁴, 3·10⁻²³⁰.
export function valueText(value: number | null): string {
  if (value === null) return "none";
  if (value === 0 || Number.isInteger(value)) return String(value).replace("-", "−");
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (size < 1e-3) return `${sign}10${superscript(Math.round(Math.log10(size)))}`;
  const near = Math.abs(size - Math.round(size));
  if (near > 0 && near < 1e-3) return `${sign}${Math.round(size)}${size < Math.round(size) ? "−" : "+"}10${superscript(Math.round(Math.log10(near)))}`;
  return `${sign}${Number(size.toPrecision(4))}`;
}

export function milliseconds(value: number): string {
  if (value < 1) return "under 1 ms";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${withCommas(count)} ${count === 1 ? one : many}`;
}
