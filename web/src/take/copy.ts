// A button that puts a text on the clipboard and says so.
import { h } from "../dom";

const kSayMilliseconds = 1500;

export function copyButton(text: () => string, label: string): HTMLButtonElement {
  const button = h("button", { type: "button", class: "quiet copy", "aria-label": label }, "Copy");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(text()).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Select it"),
    );
    setTimeout(() => (button.textContent = "Copy"), kSayMilliseconds);
  });
  return button;
}
