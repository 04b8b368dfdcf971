// Going back: to where typing began, to the place in a list, out of an entry.

import { QUESTION, address, assert, hits, search, text, until, visit } from "./harness.mjs";

export const returningTests = {
  "back goes from an answer to the page where its question was typed": async ({ page }) => {
    await visit(page, "/?f.author=Ines+Quarry");
    await page.locator("#q").pressSequentially("trip");
    await until(() => page.url().includes("q=trip"), "the words in the address");
    await page.keyboard.press("Enter");
    await until(() => !page.url().includes("quick"), "the address of the answer");
    await page.goBack();
    assert.equal(page.url(), `${address}/?f.author=Ines+Quarry`);
    await page.goForward();
    await until(() => page.url().includes("q=trip"), "the question again");
  },

  "back from an entry goes to its place in the list": async ({ page }) => {
    await visit(page, search("trip", { mode: "keyword", n: "50" }));
    const titles = page.locator(".hit-title");
    await titles.nth(20).click();
    await page.locator(".entry h1").waitFor();
    await page.goBack();
    await until(() => titles.nth(20).evaluate((link) => link === document.activeElement), "the focus on the entry");
    const { top } = await titles.nth(20).evaluate((link) => link.getBoundingClientRect());
    assert.ok(top > 0 && top < 720, String(top));
    await page.keyboard.press("ArrowDown");
    assert.ok(await titles.nth(21).evaluate((link) => link === document.activeElement));
  },

  "Escape on an entry that was opened by its address shows the search": async ({ page }) => {
    await visit(page, "/entry/SKY-0170");
    await page.keyboard.press("Escape");
    await until(() => page.url() === `${address}/`, "the search");
  },

  "a day with many entries shows the rest when it is asked to": async ({ page }) => {
    // Pages of two entries.
    let asked = 0;
    await page.route("**/api/entries?*page_size=100*", (route) => {
      asked += 1;
      const url = new URL(route.request().url());
      url.searchParams.set("page_size", "2");
      url.searchParams.set("page", String(asked));
      return route.continue({ url: url.href });
    });
    const { spans } = await (await page.request.post(`${address}/api/timeline`, { data: { unit: "day" } })).json();
    const day = spans.reduce((best, one) => (one.count > best.count ? one : best));
    await visit(page, `/browse?day=${day.from.slice(0, 10)}`);
    const lines = page.locator(".lane .line-title");
    const more = page.getByRole("button", { name: /earlier entr.* of this day/ });
    const all = Number((await text(page.locator(".day-title .small"))).match(/\d+/)[0]);
    assert.ok(all > 2, String(all));
    for (let shown = 2; shown < all; shown = await lines.count()) {
      await more.click();
      await until(async () => (await lines.count()) > shown, "more entries");
    }
    assert.equal(await lines.count(), all);
    assert.equal(await more.count(), 0);
  },

  "a question that is typed anew has no place of the one before": async ({ page }) => {
    await visit(page, "/");
    await page.locator("#q").fill("trip");
    await hits(page).nth(5).locator(".hit-title").click();
    await page.locator(".entry h1").waitFor();
    await page.goBack();
    await until(() => hits(page).nth(5).locator(".hit-title").evaluate((link) => link === document.activeElement), "the focus on the entry");
    await page.locator("#q").fill("pump");
    await until(() => page.url().includes("q=pump"), "the words in the address");
    await page.goBack();
    await until(() => page.url() === `${address}/`, "the home page");
    await page.goForward();
    await hits(page).first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.evaluate(() => document.activeElement.className.includes("hit-title")), false);
  },

  "back to the home page goes to its place": async ({ page }) => {
    await visit(page, "/");
    const lines = page.locator(".line-title");
    await lines.nth(12).click();
    await page.locator(".entry h1").waitFor();
    await page.goBack();
    await until(() => lines.nth(12).evaluate((link) => link === document.activeElement), "the focus on the entry");
  },

  "a malformed address of an entry or a day is told or left aside": {
    expects: ["40"],
    async run({ page }) {
      await visit(page, "/entry/%E0%A4%A");
      await page.locator("#main p").first().waitFor();
      await visit(page, "/browse?day=2025-13-45");
      await page.locator(".line-title").first().waitFor();
    },
  },

  "who opened an answer's entry comes back to the answer": async ({ page }) => {
    await visit(page, search(QUESTION));
    await page.locator(".answer .badge").waitFor();
    await hits(page).first().locator(".hit-title").click();
    await page.locator(".entry h1").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".answer .badge").waitFor();
  },
};
