// Messages of the program have code between backticks.
import { h, type Child } from "./dom";

export function prose(text: string): Child[] {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? h("code", {}, piece) : piece));
}
