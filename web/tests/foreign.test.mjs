// No page elsewhere may drive the server.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { missing, startBrowser, startServer } from "./studio.mjs";

/// Plain HTTP, since fetch does not let one choose these headers.
function ask(url, headers) {
  return new Promise((resolve, reject) => {
    http.get(new URL("/api/about", url), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

describe("foreign pages", { skip: missing() || (process.env.STUDIO_URL ? "a server of our own is needed" : false) }, () => {
  let server;
  let browser;
  let elsewhere;
  before(async () => {
    server = await startServer();
    browser = await startBrowser();
    elsewhere = http.createServer((_, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><title>elsewhere</title>");
    });
    await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    await browser?.close();
    elsewhere?.close();
    server?.stop();
  });

  test("a foreign Origin or Host is refused", async () => {
    assert.equal(await ask(server.url, {}), 200);
    assert.equal(await ask(server.url, { Origin: "http://example.org" }), 403);
    assert.equal(await ask(server.url, { Host: "example.org" }), 403);
  });

  test("a page of another origin gets nothing", async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
    const got = await page.evaluate(async (url) => {
      const requests = [
        fetch(`${url}api/about`),
        fetch(`${url}api/parse`, { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"text":"Q_a"}' }),
      ];
      const results = await Promise.allSettled(requests);
      return results.map((result) => result.status);
    }, server.url);
    assert.deepEqual(got, ["rejected", "rejected"]);
    await page.close();
  });
});
