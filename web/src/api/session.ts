// What is asked when: the text is parsed, then compiled, then the word is run; each again when something it depends on
// has changed.
import {
  about, besideTrouble, certificate, change, compiled, compiledBeside, compileTrouble, compiling, differs, onChange,
  parsed, state, wordBeside, wordResult, wordTrouble,
} from "../store";
import { factor } from "../attention/warmth";
import { debounce, get, Latest, post, Pump, Refusal, troubleOf } from "./request";
import type { About, Compiled, CompileOptions, ParseResult, WordResult } from "./types";

export function options(): CompileOptions {
  const { recipe, decoder, gamma, digits, length } = state();
  return { recipe, decoder, gamma, digits, length };
}

/// The rule and how it is to be compiled, as several requests want it.
export function source(): { text: string; kind: string; options: CompileOptions } {
  return { text: state().text, kind: state().kind, options: options() };
}

/// How the word is run, apart from the model.
export function running(): { word: string; format: string; hard: boolean; warmth: number | "uniform" } {
  const { word, format, hard, warmth } = state();
  return { word, format, hard, warmth: factor(warmth) };
}

const compilation = new Latest();
const besideCompilation = new Latest();

async function compileNow(): Promise<void> {
  const { text, kind } = state();
  await compilation.run(async (signal) => {
    compiling.set(true);
    try {
      const rule = await post<ParseResult>("/api/parse", { text, kind }, signal);
      parsed.set(rule);
      if (!rule.ok) {
        compileTrouble.set({ code: "rule", message: "the network on show is that of the text before" });
        return;
      }
      const network = await post<Compiled>("/api/compile", { ...source(), stages: true }, signal);
      compileTrouble.set(null);
      certificate.set(new Map());
      forgetWhatIsGone(network);
      compiled.set(network);
      parsed.set(network.rule);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && error.diagnostics.length > 0) {
        parsed.set({ ok: false, kind, diagnostics: error.diagnostics });
      }
      compileTrouble.set(troubleOf(error));
    } finally {
      if (!signal.aborted) compiling.set(false);
    }
  });
}

/// Ablations and patches name heads and tenants; those that the network has no more are dropped.
function forgetWhatIsGone(network: Compiled): void {
  const heads = new Set(network.network.layers.flatMap((layer) => layer.heads.map((head) => head.id)));
  const tenants = network.network.tenants.length;
  const ablate = state().ablate.filter((id) => heads.has(id));
  const patch = state().patch.filter(({ tenant }) => tenant < tenants);
  if (ablate.length !== state().ablate.length || patch.length !== state().patch.length) change({ ablate, patch });
}

async function compileBesideNow(): Promise<void> {
  const recipe = state().beside;
  if (!recipe) {
    besideCompilation.stop();
    compiledBeside.set(null);
    besideTrouble.set(null);
    return;
  }
  await besideCompilation.run(async (signal) => {
    try {
      const body = { ...source(), options: { ...options(), recipe }, stages: false };
      compiledBeside.set(await post<Compiled>("/api/compile", body, signal));
      besideTrouble.set(null);
    } catch (error) {
      if (signal.aborted) return;
      compiledBeside.set(null);
      besideTrouble.set(troubleOf(error));
    }
  });
}

/// How many symbols the word has, as the rule reads it.
function wordLength(network: Compiled, word: string): number {
  return network.rule.separated ? word.split(/\s+/u).filter(Boolean).length : [...word].length;
}

async function runWord(): Promise<void> {
  const network = compiled.get();
  if (!network || !state().word) {
    wordResult.set(null);
    wordTrouble.set(null);
    return;
  }
  const { ablate, word } = state();
  const n = wordLength(network, word);
  const patches = state().patch.filter(({ position }) => position <= n);
  const body = { model: network.model, ...running(), ablated: ablate, patches, heads: true, coordinates: true };
  try {
    const result = await post<WordResult>("/api/word", body);
    if (compiled.get() !== network) return;
    wordResult.set(result);
    wordTrouble.set(null);
  } catch (error) {
    if (error instanceof Refusal && error.code === "unknown-model") return void compileSoon();
    wordResult.set(null);
    wordTrouble.set(troubleOf(error));
  }
}

async function runBeside(): Promise<void> {
  const network = compiledBeside.get();
  if (!network || !state().word) {
    wordBeside.set(null);
    return;
  }
  const body = { model: network.model, ...running(), heads: true, coordinates: false };
  try {
    wordBeside.set(await post<WordResult>("/api/word", body));
  } catch {
    wordBeside.set(null);
  }
}

const compileSoon = debounce(120, () => {
  void compileNow();
  void compileBesideNow();
});
const words = new Pump(runWord);
const wordsBeside = new Pump(runBeside);

function runSoon(): void {
  void words.poke();
  void wordsBeside.poke();
}

/// Asks for everything again, as after the server came back.
export async function begin(): Promise<void> {
  about.set(await get<About>("/api/about"));
  compileSoon();
}

export function followState(): void {
  onChange((now, before) => {
    if (differs(now, before, "text", "kind", "recipe", "decoder", "gamma", "digits", "length")) compileSoon();
    if (differs(now, before, "beside")) void compileBesideNow();
    if (differs(now, before, "word", "format", "hard", "warmth", "ablate", "patch")) runSoon();
  });
  compiled.on(runSoon);
  compiledBeside.on(runSoon);
}
