// What kind of text it is, and how it is to be compiled.
import { h } from "../dom";
import { kKinds } from "../state";
import { about, state } from "../store";
import { choiceField, numberField, setChoices, toggleField } from "./fields";

const kKindNames: Record<string, string> = {
  formula: "formula", program: "program", regex: "regular expr.", dfa: "automaton .dfa",
  att: "automaton .att", hoa: "automaton .hoa",
};

export function createOptions(parent: HTMLElement): void {
  const kind = choiceField("kind", "kind", "What the text is written in",
    kKinds.map((value) => ({ value, label: kKindNames[value] ?? value })));
  const recipe = choiceField("recipe", "recipe", "By which construction it becomes a network", [{ value: "auto", label: "auto" }]);
  about.on((now) => {
    if (!now) return;
    const choices = now.recipes.map(({ name, theorem }) => ({
      value: name,
      label: /^\d/.test(name) ? `${name}: ${theorem}` : name,
    }));
    setChoices(recipe.select, choices, state().recipe);
  });
  parent.append(
    h(
      "div",
      { class: "options", role: "group", "aria-label": "How the rule is compiled", "data-tour": "options" },
      kind.element,
      recipe.element,
      numberField("gamma", "γ", "Sharpness of tie-breaks; at least ln 16 ≈ 2.77", "auto", { min: 0, step: "any" }),
      numberField("length", "length", "For the recipe exact: the longest word that it serves", "2²⁰", { min: 1, step: "1" }),
      toggleField("decoder", "decoder", "Heads look to the left only"),
      toggleField("digits", "digits", "Positions as base-256 digits, exact in half formats"),
    ),
  );
}
