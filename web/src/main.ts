// The page, put together.
import { certifyAlways } from "./api/certifying";
import { begin, followState } from "./api/session";
import { createAttentionPane } from "./attention/pane";
import { byId } from "./dom";
import { createEditor } from "./editor/editor";
import { showProblems } from "./editor/problems";
import { createLimitsPane } from "./limits/pane";
import { decode, encode } from "./link";
import { followPointer } from "./links";
import { createNetworkPane } from "./network/pane";
import { followServer } from "./shell/banner";
import { take } from "./shell/gallery";
import { createHeader } from "./shell/header";
import { createOptions } from "./shell/options";
import { showSummary } from "./shell/summary";
import { createTabs } from "./shell/tabs";
import { followTheme } from "./shell/theme";
import { offerTour } from "./shell/tour";
import { createTakePane } from "./take/pane";
import { about, change, onChange, state } from "./store";
import { debounce } from "./api/request";

const kFirstExample = "dyck_1";
/// Long enough that some of its positions go wrong when heads blur.
const kFirstWord = "(()())(())";

/// The address bar always holds the state; links to other states are followed without loading again.
function followAddress(): void {
  const write = debounce(200, () => history.replaceState(null, "", encode(state())));
  onChange(write);
  window.addEventListener("hashchange", () => {
    const linked = decode(location.hash);
    if (linked && encode(linked) !== encode(state())) change(linked);
  });
}

/// Without a link, the page begins with an example.
function beginWithExample(): void {
  about.on((now) => {
    if (!now || state().text !== "") return;
    const example = now.examples.find(({ name, kind }) => name === kFirstExample && kind === "formula");
    if (example) take({ ...example, word: kFirstWord });
  });
}

function start(): void {
  const linked = decode(location.hash);
  if (linked) change(linked);
  followTheme();
  createHeader(byId("header"));
  createOptions(byId("options"));
  showProblems(byId("problems"), createEditor(byId("editor")));
  showSummary(byId("summary"));
  createTabs(byId("tabs"));
  createNetworkPane(byId("pane-network"));
  createAttentionPane(byId("pane-attention"));
  createLimitsPane(byId("pane-limits"));
  createTakePane(byId("pane-take"));
  followPointer(byId("right"));
  followServer(byId("banner"));
  followState();
  certifyAlways();
  beginWithExample();
  offerTour();
  followAddress();
  begin().catch(() => undefined);
}

start();
