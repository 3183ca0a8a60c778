// Says so when the server does not answer, and looks again until it does.
import { begin } from "../api/session";
import { fill, h } from "../dom";
import { reachable } from "../store";

const kAgainMilliseconds = 2000;

export function followServer(banner: HTMLElement): void {
  let timer = 0;
  const again = (): void => {
    begin().catch(() => undefined);
  };
  reachable.on((now) => {
    banner.hidden = now;
    clearInterval(timer);
    if (now) return;
    fill(
      banner,
      "The server does not answer. Is ", h("code", {}, "quench studio"), " still running? The page looks again every two seconds. ",
      h("button", { type: "button", class: "quiet", onclick: again }, "Try now"),
    );
    timer = setInterval(again, kAgainMilliseconds);
  });
}
