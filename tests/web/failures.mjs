// What the page shows when requests fail, are late or are many.

import { QUESTION, address, assert, hits, search, text, until, visit } from "./harness.mjs";

const REFUSED = { status: 429, contentType: "application/problem+json", body: JSON.stringify({ detail: "too many requests" }) };

export const failureTests = {
  "nothing of the search before stands beside a search that failed": {
    expects: ["429"],
    async run({ page }) {
      await visit(page, search("klystron", { mode: "keyword" }));
      await page.route("**/api/search", (route) => route.fulfill(REFUSED));
      await page.locator("#q").fill("klystron trip");
      await page.locator(".problem").waitFor();
      assert.equal(await hits(page).count(), 0);
      assert.equal(await text(page.locator("#count")), "");
      assert.equal(await page.locator(".facet").count(), 0);
      await page.unroute("**/api/search");
      await page.getByRole("button", { name: "Try again" }).click();
      await hits(page).first().waitFor();
      assert.equal(await page.locator(".problem").count(), 0);
    },
  },

  "times that could not be counted are not called none": {
    expects: ["429"],
    async run({ page }) {
      await page.route("**/api/timeline", (route) => route.fulfill(REFUSED));
      await visit(page, search("klystron", { mode: "keyword" }));
      await until(async () => /could not be counted/.test(await text(page.locator(".timeline"))), "the failure in the chart");
    },
  },

  "Enter is taken before the page knows the modes": async ({ page, seen }) => {
    let go;
    const known = new Promise((done) => { go = done; });
    await page.route("**/api/capabilities", async (route) => { await known; await route.continue(); });
    await page.goto(address);
    await page.locator("#q").fill(QUESTION);
    await page.keyboard.press("Enter");
    go();
    await page.locator(".answer .badge").waitFor();
    assert.equal(seen.searches.at(-1).mode, "rag");
  },

  "Enter tries again to load the modes": {
    expects: ["429"],
    async run({ page }) {
      await page.route("**/api/capabilities", (route) => route.fulfill(REFUSED));
      await page.goto(address);
      await page.locator(".problem").waitFor();
      await page.unroute("**/api/capabilities");
      await page.locator("#q").fill(QUESTION);
      await page.keyboard.press("Enter");
      await page.locator(".answer .badge").waitFor();
      assert.equal(await page.locator(".problem").count(), 0);
    },
  },

  "a key costs one request, and the chart follows the last": async ({ page, seen }) => {
    await visit(page, search("a", { mode: "keyword", quick: "1" }));
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.locator("#q").press("End");
    await page.locator("#q").pressSequentially(" quench", { delay: 50 });
    await until(() => asked.includes("/api/timeline"), "the chart");
    // The browser has the icon.
    assert.deepEqual(asked.filter((path) => path !== "/api/search" && path !== "/assets/icon.svg"), ["/api/timeline"]);
    assert.equal(seen.searches.at(-1).query, "a quench");
  },

  "the home page that was left does not come back over the results": async ({ page }) => {
    let go;
    const late = new Promise((done) => { go = done; });
    await page.route("**/api/timeline", async (route) => { await late; await route.continue(); });
    await page.goto(address);
    await page.locator("#q").fill("klystron");
    await hits(page).first().waitFor();
    go();
    await page.waitForLoadState("networkidle");
    await page.locator(".hit-title").nth(1).click();
    await page.locator(".entry-nav .back").waitFor();
    assert.match(await page.locator(".entry-nav .back").getAttribute("href"), /q=klystron/);
  },

  "a value that is chosen by key keeps the focus": async ({ page }) => {
    await visit(page, search("trip", { mode: "keyword" }));
    const box = page.locator(".facet input").first();
    const value = await box.getAttribute("data-value");
    await box.focus();
    await page.keyboard.press("Space");
    await until(() => page.url().includes("f."), "the filter in the address");
    const remove = page.locator(".chip.strict .chip-action").last();
    await remove.waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.dataset.value), value);
    await remove.focus();
    await page.keyboard.press("Enter");
    await until(() => !page.url().includes("f."), "the filter is gone");
    await until(() => page.evaluate(() => document.activeElement !== document.body), "the focus in the page");
  },
};
