// Take it with you: the link, the files, the command lines.
import { postForText, troubleOf } from "../api/request";
import { running } from "../api/session";
import { fill, h } from "../dom";
import { encode } from "../link";
import { certificate, compiled, onChange, state } from "../store";
import { draw } from "../network/drawing";
import { chart } from "../limits/chart";
import { findings } from "../limits/failures";
import { showCommands } from "./commands";
import { copyButton } from "./copy";
import { download } from "./download";
import { standalone } from "./svg";

const kFigureWidth = 960;

function link(): HTMLElement {
  const address = (): string => location.origin + location.pathname + encode(state());
  const field = h("input", { type: "text", readonly: true, class: "link", "data-testid": "permalink", "aria-label": "Link to this page as it is" });
  field.addEventListener("focus", () => field.select());
  const show = (): void => {
    field.value = address();
  };
  onChange(show);
  show();
  return h("div", { class: "command-line" }, field, copyButton(address, "Copy the link"));
}

/// Style sheets reach a drawing only within the page, so it is there for a moment, out of sight.
function saveDrawing(name: string, svg: SVGSVGElement): void {
  const stage = h("div", { class: "offstage", "aria-hidden": "true" }, svg);
  document.body.append(stage);
  download(name, standalone(svg), "image/svg+xml");
  stage.remove();
}

function saveNetwork(): void {
  const network = compiled.get();
  if (network) saveDrawing("network.svg", draw(network, kFigureWidth, () => undefined));
}

function saveChart(): void {
  const certificates = [...certificate.get().values()];
  const { limitLength: length, limitFormat: lengthFormat } = state();
  saveDrawing("certificate.svg", chart({ certificates, findings: findings.get(), length, lengthFormat }, kFigureWidth));
}

async function saveAttention(say: (text: string) => void): Promise<void> {
  const network = compiled.get();
  if (!network) return;
  const { ablate, patch } = state();
  try {
    const body = { model: network.model, ...running(), ablated: ablate, patches: patch, heads: true, coordinates: false };
    download("attention.svg", await postForText("/api/attention.svg", body), "image/svg+xml");
    say("");
  } catch (error) {
    say(troubleOf(error).message);
  }
}

function file(testid: string, title: string, text: string, action: HTMLElement): HTMLElement {
  return h("li", { "data-testid": testid }, h("div", {}, h("b", {}, title), h("span", { class: "note" }, text)), action);
}

function files(): HTMLElement {
  const list = h("ul", { class: "files" });
  const status = h("p", { class: "note", role: "status" });
  const say = (text: string): void => {
    status.textContent = text;
  };
  const button = (text: string, action: () => void): HTMLElement => h("button", { type: "button", onclick: action }, text);
  const show = (): void => {
    const network = compiled.get();
    if (!network) return fill(list, h("li", {}, "There is no network yet."));
    const at = `/api/models/${encodeURIComponent(network.model)}`;
    const proved = certificate.get().size >= 4;
    fill(
      list,
      file("file-model", "model.safetensors", "weights and what they mean, for quench run, PyTorch and others",
        h("a", { class: "button", href: `${at}/model.safetensors`, download: "model.safetensors" }, "Download")),
      file("file-certificate", "certificate.json", proved ? "for quench check" : "as soon as it is proved",
        proved ? h("a", { class: "button", href: `${at}/certificate.json`, download: "certificate.json" }, "Download") : h("span", { class: "note" }, "…")),
      file("file-network", "network.svg", "the drawing of the network", button("Save", saveNetwork)),
      file("file-attention", "attention.svg", "the attention of all heads on the word", button("Save", () => void saveAttention(say))),
      file("file-chart", "certificate.svg", "certified lengths and known failures", button("Save", saveChart)),
    );
  };
  compiled.on(show);
  certificate.on(show);
  show();
  return h("div", {}, list, status);
}

export function createTakePane(pane: HTMLElement): void {
  const commands = h("div", { class: "commands" });
  pane.append(
    h("div", { class: "section-head" }, h("h2", {}, "Link"), h("p", { class: "note" }, "It holds the rule, the word and every setting; nothing of it is sent anywhere.")),
    link(),
    h("div", { class: "section-head" }, h("h2", {}, "Files")),
    files(),
    h("div", { class: "section-head" }, h("h2", {}, "Command lines"), h("p", { class: "note" }, "The same on a terminal.")),
    commands,
    h("p", { class: "note" }, h("a", { href: "licences.txt" }, "Licences"), " of the packages that this page is made of."),
  );
  const refresh = (): void => {
    if (!pane.hidden && compiled.get()) void showCommands(commands);
  };
  compiled.on(refresh);
  onChange((now, before) => now.tab !== before.tab && refresh());
}
