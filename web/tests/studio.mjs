// Starts the studio and a browser for the tests: the program is $QUENCH, by default that of the release build; the browser
// is Debian's chromium, or $CHROMIUM.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const here = path.dirname(fileURLToPath(import.meta.url));
const program = process.env.QUENCH ?? path.join(here, "..", "..", "build", "release", "quench");
const chromium = process.env.CHROMIUM ?? "/usr/bin/chromium";

/// Why the tests cannot run here; empty if they can.
export function missing() {
  if (!existsSync(chromium)) return `no browser at ${chromium}`;
  if (!process.env.STUDIO_URL && !existsSync(program)) return `no program at ${program}`;
  return "";
}

/// A server on a port of its own, or the one at $STUDIO_URL: { url, stop }.
export async function startServer() {
  if (process.env.STUDIO_URL) return { url: process.env.STUDIO_URL, stop() {} };
  const server = spawn(program, ["studio", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (bytes) => {
      said += bytes;
      const address = /http:\/\/(127\.0\.0\.1|localhost):\d+\/?/.exec(said);
      if (address) resolve(address[0]);
    });
    server.on("exit", (code) => reject(new Error(`the studio ended with ${code}: ${said}`)));
  });
  return { url: url.endsWith("/") ? url : `${url}/`, stop: () => server.kill("SIGINT") };
}

export async function startBrowser() {
  return puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
}

/// A page that has seen the tour. Whatever the page complains of is a failure of the test.
export async function openPage(browser, url, { fragment = "", size = { width: 1440, height: 900 } } = {}) {
  const page = await browser.newPage();
  await page.setViewport(size);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(error.message));
  page.on("console", (message) => {
    const refused = /status of (4\d\d|503)/.test(message.text());
    if (message.type() === "error" && !refused) page.complaints.push(message.text());
  });
  await page.evaluateOnNewDocument(() => localStorage.setItem("quench-studio-tour", "seen"));
  await page.goto(url + fragment);
  await page.waitForSelector('[data-testid="summary-logic"]');
  return page;
}

export const testid = (name) => `[data-testid="${name}"]`;

export async function textOf(page, name) {
  return page.$eval(testid(name), (element) => element.textContent ?? "");
}

/// Replaces the rule as one would by hand.
export async function writeRule(page, text) {
  await page.focus(testid("editor"));
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.press("Backspace");
  const session = await page.createCDPSession();
  await session.send("Input.insertText", { text });
  await session.detach();
}

export async function writeWord(page, word) {
  await page.$eval(testid("word"), (input, text) => {
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, word);
}

/// Moves a slider to a value, as the keyboard would.
export async function slideTo(page, name, value) {
  await page.$eval(testid(name), (input, to) => {
    input.value = String(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }, value);
}

export async function showTab(page, tab) {
  await page.click(testid(`tab-${tab}`));
}

/// Waits until a function of the page, given these values, is true.
export async function until(page, condition, ...values) {
  await page.waitForFunction(condition, { timeout: 20000 }, ...values);
}

/// Waits until the network of this rule is on show.
export async function compiled(page, rule) {
  await until(page, (text) => document.querySelector("#summary:not(.stale)")?.dataset.rule === text, rule);
}
