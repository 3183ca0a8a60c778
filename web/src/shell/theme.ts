// Light or dark: as the system has it, until one says otherwise.
import { Signal } from "../signal";
import { isDark } from "../palette";
import { recall, remember } from "./memory";

/// Set whenever colours change, for what is drawn on a canvas.
export const dark = new Signal<boolean>(false);

export function followTheme(): void {
  const chosen = recall("theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
  dark.set(isDark());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dark.set(isDark()));
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  remember("theme", next);
  dark.set(isDark());
}
