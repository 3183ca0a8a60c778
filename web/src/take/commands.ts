// The exact command lines for what is on show, from the server, which knows them.
import { Latest, post, troubleOf } from "../api/request";
import { running, source } from "../api/session";
import { fill, h } from "../dom";
import { compiled, state } from "../store";
import { copyButton } from "./copy";

const kWhat: readonly [string, string][] = [
  ["compile", "the network, its certificate and its file"],
  ["attend", "the attention of the heads"],
  ["trace", "every coordinate after every sublayer"],
  ["run", "the answers at every position"],
  ["show", "the stage of the compilation on show"],
  ["certify", "the certified lengths"],
  ["verify", "rule against network, on many words"],
];

interface Command {
  command: string;
  notes: string[];
}

function body(what: string): object {
  const { ablate, patch, stage } = state();
  const tenants = compiled.get()?.network.tenants ?? [];
  const patches = patch.map(({ tenant, position, value }) => ({ name: tenants[tenant]?.name ?? "", position, value }));
  return { ...source(), ...running(), do: what, ablated: ablate, patches, stage };
}

function row([what, meaning]: readonly [string, string], command: Command): HTMLElement {
  return h(
    "div",
    { class: "command" },
    h("p", { class: "command-what" }, h("b", {}, what), ` ${meaning}`),
    h("div", { class: "command-line" }, h("pre", { class: "scroll", tabindex: 0, "data-testid": `command-${what}` }, command.command), copyButton(() => command.command, `Copy the command ${what}`)),
    ...command.notes.map((note) => h("p", { class: "note" }, note)),
  );
}

const latest = new Latest();

export async function showCommands(parent: HTMLElement): Promise<void> {
  await latest.run(async (signal) => {
    const wanted = kWhat.filter(([what]) => state().word || !["attend", "trace", "run"].includes(what));
    const rows = await Promise.all(
      wanted.map(async (what) => {
        try {
          return row(what, await post<Command>("/api/command", body(what[0]), signal));
        } catch (error) {
          return h("p", { class: "note" }, `${what[0]}: ${troubleOf(error).message}`);
        }
      }),
    );
    if (!signal.aborted) fill(parent, ...rows);
  });
}
