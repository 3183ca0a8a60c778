// Light or dark: as the system has it, until one says otherwise.
import { Signal } from "../signal";
import { isDark } from "../palette";
import { recall, remember } from "./memory";

/// Set whenever colours change, for what is drawn on a canvas.
export const dark = new Signal<boolean>(false);

function use(theme: "light" | "dark"): void {
  document.documentElement.dataset["theme"] = theme;
  dark.set(theme === "dark");
}

export function followTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = (): void => {
    const chosen = recall("theme");
    use(chosen === "dark" || chosen === "light" ? chosen : system.matches ? "dark" : "light");
  };
  system.addEventListener("change", follow);
  follow();
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  remember("theme", next);
  use(next);
}
