// The page in a real browser, against the real server.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  compiled, missing, openPage, showTab, slideTo, startBrowser, startServer, testid, textOf, until, writeRule, writeWord,
} from "./studio.mjs";

const kSince = "Q_a S Q_b";

describe("the page", { skip: missing() || false }, () => {
  let server;
  let browser;
  before(async () => {
    server = await startServer();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    server?.stop();
  });

  async function at(text, word = "") {
    const page = await openPage(browser, server.url);
    await writeRule(page, text);
    await compiled(page, text);
    await showTab(page, "attention");
    await writeWord(page, word);
    if (word) await until(page, (n) => document.querySelector('[data-testid="verdict"]')?.textContent?.startsWith(`n = ${n} `), [...word].length);
    return page;
  }
  const meanEntropy = async (page) => Number(await textOf(page, "entropy-mean"));

  test("begins with an example and shows its network", async () => {
    const page = await openPage(browser, server.url);
    assert.match(await textOf(page, "summary-size"), /\d+ layers?, \d+ heads?, width \d+/);
    assert.ok((await page.$$(".drawing .tenant")).length > 3);
    assert.ok((await page.$$(".drawing .lane.head")).length > 0);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  test("a mistake is marked where it is, and gone when it is mended", async () => {
    const page = await openPage(browser, server.url);
    await writeRule(page, "Q_a & sinse Q_b");
    await page.waitForSelector(testid("problem"));
    const problem = await page.$eval(testid("problem"), ({ dataset }) => ({ ...dataset }));
    assert.equal(problem.code, "E013");
    assert.deepEqual([problem.from, problem.to], ["6", "11"]);
    const marked = await page.$eval(".cm-lintRange-error", (element) => element.textContent);
    assert.equal(marked, "sinse");
    assert.match(await textOf(page, "problem"), /did you mean/);

    await writeRule(page, kSince);
    await compiled(page, kSince);
    assert.equal((await page.$$(testid("problem"))).length, 0);
    assert.equal((await page.$$(".cm-lintRange-error")).length, 0);
    await page.close();
  });

  test("a diagnostic in the list leads to its place", async () => {
    const page = await openPage(browser, server.url);
    await writeRule(page, "Q_a\n& sinse Q_b");
    await page.waitForSelector(testid("problem"));
    await page.focus(`${testid("problem")} button`);
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => getSelection()?.toString()), "sinse");
    await page.close();
  });

  test("completion offers operators and names of the text", async () => {
    const page = await openPage(browser, server.url);
    await writeRule(page, "let balance = #<[Q_a] - #<[Q_b]\n");
    await page.keyboard.type("bal");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    assert.match(await page.$eval(".cm-tooltip-autocomplete", (list) => list.textContent), /balance/);
    await page.keyboard.press("Escape");
    await page.keyboard.type("ance = 0 & histo");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    assert.match(await page.$eval(".cm-tooltip-autocomplete", (list) => list.textContent), /historically/);
    await page.close();
  });

  test("heads sharpen as they cool: the entropy falls", async () => {
    const page = await at(kSince, "aabaabaaab");
    const entropies = [];
    for (const step of [49, 36, 28, 0]) {
      const before = await textOf(page, "entropy-mean");
      await slideTo(page, "warmth", step);
      await until(page, (old) => document.querySelector('[data-testid="entropy-mean"]')?.textContent !== old, before);
      entropies.push(await meanEntropy(page));
    }
    for (let index = 1; index < entropies.length; ++index) assert.ok(entropies[index] < entropies[index - 1], `${entropies}`);
    assert.ok(entropies[0] > 1, "uniform attention sees several keys");
    assert.ok(entropies.at(-1) < 0.01, "as compiled it sees one");
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

  test("warm heads go wrong, and the positions are marked", async () => {
    const page = await at(kSince, "aabaabaaab");
    assert.equal(await page.$eval(testid("verdict"), (element) => element.dataset.wrong), "");
    await slideTo(page, "warmth", 49);
    await until(page, () => document.querySelector('[data-testid="verdict"]')?.dataset.wrong !== "");
    const wrong = await page.$eval(testid("verdict"), (element) => element.dataset.wrong.split(" ").map(Number));
    const crosses = await page.$$eval(`${testid("answers-marks")} td`, (cells) => cells.flatMap((cell, at) => (cell.textContent === "✕" ? [at + 1] : [])));
    assert.deepEqual(crosses, wrong);
    await page.close();
  });

  test("a head that is switched off is missed, and mended when it is back", async () => {
    const page = await at(kSince, "aabaabaaab");
    await page.click(testid("ablate-0.0"));
    await until(page, () => document.querySelector('[data-testid="verdict"]')?.dataset.wrong !== "");
    assert.match(await textOf(page, "interventions"), /head 0\.0 off/);
    await page.click(testid("restore"));
    await until(page, () => document.querySelector('[data-testid="verdict"]')?.dataset.wrong === "");
    await page.close();
  });

  test("a patched cell changes answers, by keyboard alone", async () => {
    const page = await at(kSince, "ccccb");
    await page.focus('[data-sublayer="0"] canvas.cells');
    await page.keyboard.press("ArrowRight");
    const names = await page.$$eval('[data-sublayer="0"] .coordinate-name', (all) => all.map((one) => one.textContent));
    const row = names.findIndex((name) => name === "Q_a" || name === "Q_a & Q_b" || name === "Q_b");
    assert.ok(row >= 0, `${names}`);
    for (let step = 0; step < row; ++step) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForSelector(testid("patch-chip"));
    await page.click(testid("restore"));
    await until(page, () => !document.querySelector('[data-testid="patch-chip"]'));
    await page.close();
  });

  test("pointing at a head lights its operator, coordinates and rows", async () => {
    const page = await openPage(browser, server.url);
    await writeRule(page, kSince);
    await compiled(page, kSince);
    await page.$eval(testid("lane-0.0"), (head) => head.focus());
    await page.waitForSelector(".lit-span");
    const lit = await page.evaluate(() => ({
      text: document.querySelector(".lit-span")?.textContent,
      tenants: document.querySelectorAll(".drawing .tenant.lit").length,
      rows: document.querySelectorAll(".listing tr.lit").length,
    }));
    assert.match(lit.text, /Q_a S Q_b/);
    assert.ok(lit.tenants > 0 && lit.rows > 0, JSON.stringify(lit));
    await page.close();
  });

  test("another recipe stands beside", async () => {
    const page = await at(kSince, "aabaab");
    await page.select(testid("beside"), "paper");
    await page.waitForSelector(testid("answers-beside"));
    assert.ok((await page.$$('[data-testid^="beside-head-"]')).length > 0);
    await page.close();
  });

  test("a link reproduces the page", async () => {
    const page = await at(kSince, "aabaaab");
    await slideTo(page, "warmth", 20);
    await page.click(testid("ablate-0.0"));
    await until(page, () => document.querySelector('[data-testid="interventions"]')?.textContent?.includes("0.0"));
    await showTab(page, "take");
    const link = await page.$eval(testid("permalink"), (input) => input.value);
    const other = await openPage(browser, link);
    await showTab(other, "attention");
    await other.waitForSelector(testid("verdict"));
    const shown = (one) => one.evaluate(() => ({
      rule: document.querySelector(".cm-content")?.innerText,
      word: document.querySelector('[data-testid="word"]')?.value,
      warmth: document.querySelector('[data-testid="warmth"]')?.value,
      off: document.querySelector('[data-testid="interventions"]')?.textContent,
      wrong: document.querySelector('[data-testid="verdict"]')?.dataset.wrong,
    }));
    const there = await shown(other);
    await page.bringToFront();
    await showTab(page, "attention");
    assert.deepEqual(there, await shown(page));
    await other.close();
    await page.close();
  });

  test("a link that was tampered with is ignored", async () => {
    for (const fragment of ["#s=!!!", "#s=eyJ0YWIiOjd9", "#s=bnVsbA", "#other"]) {
      const page = await openPage(browser, server.url, { fragment });
      assert.deepEqual(page.complaints, []);
      await page.close();
    }
  });

  test("the certificate is drawn and long words are run", async () => {
    const page = await at(kSince, "aab");
    await showTab(page, "limits");
    await page.waitForSelector(".chart .promise");
    await slideTo(page, "length-slider", 96);
    await until(page, () => document.querySelectorAll('[data-testid="track-knowing"] [data-testid="length-line"]').length > 0);
    const wrong = await page.$$eval(`${testid("track-knowing")} ${testid("length-line")}`, (lines) => lines.map((line) => line.dataset.wrong));
    assert.ok(wrong.every((count) => count === "0"), `${wrong}`);
    await page.close();
  });

  test("the command line is the one for the rule", async () => {
    const page = await at(kSince, "aab");
    await showTab(page, "take");
    await page.waitForSelector(testid("command-compile"));
    assert.match(await textOf(page, "command-compile"), /^quench compile .*Q_a S Q_b/);
    await page.close();
  });

  test("nothing is wider than a narrow window", async () => {
    for (const width of [380, 420, 800]) {
      const page = await openPage(browser, server.url, { size: { width, height: 900 } });
      for (const tab of ["network", "attention", "limits", "take"]) {
        await showTab(page, tab);
        await new Promise((resolve) => setTimeout(resolve, 300));
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(excess <= 0, `${tab} at ${width}: ${excess} pixels too wide`);
      }
      await page.close();
    }
  });
});
