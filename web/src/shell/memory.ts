// What the browser remembers of this page between visits, if it may.

const kPrefix = "quench-studio-";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(kPrefix + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(kPrefix + name, value);
  } catch {
    // Then it is asked again next time.
  }
}
