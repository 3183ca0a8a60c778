// Labelled fields that follow the state and change it.
import { h } from "../dom";
import type { State } from "../state";
import { change, onChange, state } from "../store";

type Names<T> = { [K in keyof State]: State[K] extends T ? (T extends State[K] ? K : never) : never }[keyof State];

function labelled(label: string, hint: string, field: HTMLElement): HTMLElement {
  return h("label", { class: "field", title: hint }, h("span", { class: "field-label" }, label), field);
}

export interface Choice {
  value: string;
  label: string;
}

/// Replaces the choices and keeps what the state says, even if it is not among them.
export function setChoices(select: HTMLSelectElement, choices: readonly Choice[], value: string): void {
  const all = choices.some((choice) => choice.value === value) ? choices : [...choices, { value, label: value }];
  select.replaceChildren(...all.map((choice) => h("option", { value: choice.value }, choice.label)));
  select.value = value;
}

export function choiceField(
  name: "kind" | "recipe" | "format" | "beside" | "limitFormat" | "limitWords",
  label: string,
  hint: string,
  choices: readonly Choice[],
): { element: HTMLElement; select: HTMLSelectElement } {
  const select = h("select", {
    "data-testid": name,
    onchange: () => change({ [name]: select.value } as Partial<State>),
  });
  setChoices(select, choices, state()[name]);
  onChange((now) => {
    if (now[name] === select.value) return;
    const known = [...select.options].map((option) => ({ value: option.value, label: option.label }));
    setChoices(select, known, now[name]);
  });
  return { element: labelled(label, hint, select), select };
}

export function toggleField(name: "decoder" | "digits" | "hard", label: string, hint: string): HTMLElement {
  const input = h("input", {
    type: "checkbox", "data-testid": name, onchange: () => change({ [name]: input.checked } as Partial<State>),
  });
  input.checked = state()[name];
  onChange((now) => (input.checked = now[name]));
  return h("label", { class: "field toggle", title: hint }, input, h("span", { class: "field-label" }, label));
}

/// A number, or nothing where the default is meant.
export function numberField(
  name: Names<number | null>,
  label: string,
  hint: string,
  placeholder: string,
  range: { min: number; step: string },
): HTMLElement {
  const input = h("input", {
    type: "number", inputmode: "decimal", placeholder, min: range.min, step: range.step, "data-testid": name,
    oninput: () => {
      const value = input.value === "" ? null : Number(input.value);
      if (input.validity.badInput || (value !== null && !Number.isFinite(value))) return;
      change({ [name]: value } as Partial<State>);
    },
  });
  const show = (): void => {
    const value = state()[name];
    if (input.value === "" ? value !== null : Number(input.value) !== value) input.value = value === null ? "" : String(value);
  };
  show();
  onChange(show);
  return labelled(label, hint, input);
}
