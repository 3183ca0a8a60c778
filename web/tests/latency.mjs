// How long it takes from a movement of the temperature slider to the picture, in the browser: node tests/latency.mjs prints
// the median and the worst of 50 for words of 16, 64 and 256 symbols.
import { compiled, openPage, showTab, startBrowser, startServer, testid, until, writeRule, writeWord } from "./studio.mjs";

const kRule = "H (Q_a -> prev Q_b) & Q_a S Q_b & #<[Q_a] >= #<[Q_b]";
const server = await startServer();
const browser = await startBrowser();
const page = await openPage(browser, server.url);
await writeRule(page, kRule);
await compiled(page, kRule);
await showTab(page, "attention");

async function once(step) {
  return page.evaluate(async (to) => {
    const input = document.querySelector('[data-testid="warmth"]');
    performance.clearMarks("attention-drawn");
    const begin = performance.now();
    input.value = String(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    while (performance.getEntriesByName("attention-drawn").length === 0) await new Promise(requestAnimationFrame);
    return performance.getEntriesByName("attention-drawn")[0].startTime - begin;
  }, step);
}

for (const n of [16, 64, 256]) {
  await writeWord(page, Array.from({ length: n }, (_, i) => "ab"[(i * i + (i >> 2)) % 2]).join(""));
  await until(page, (length) => document.querySelector('[data-testid="verdict"]')?.textContent?.startsWith(`n = ${length} `), n);
  await page.waitForSelector(testid("warmth"));
  const times = [];
  for (let step = 0; step < 50; ++step) times.push(await once((step % 45) + 1));
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ n, median_ms: Math.round(times[25] * 10) / 10, worst_ms: Math.round(times.at(-1) * 10) / 10 }));
}
await browser.close();
server.stop();
