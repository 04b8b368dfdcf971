// Counts over time: a chart with its change points above the table of counts.

import { assert, axe, search, text, visit } from "./harness.mjs";

const QUESTION = "how many entries";
const WIDTHS = [360, 768, 1280];

const asked = () => search(QUESTION, { mode: "trend" });
const chart = (page) => page.locator(".trend");

export const trendTests = {
  "a trend is a chart with a column for each row, and a line at each change point": async ({ page }) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await visit(page, asked());
      await page.locator(".answer").waitFor();
      const unfold = page.getByRole("button", { name: "Show all", exact: true });
      if (await unfold.isVisible()) await unfold.click();
      await chart(page).waitFor();
      const rows = await page.locator(".counts tbody tr").count();
      assert.equal(await chart(page).locator("rect").count(), rows, `columns at ${width} px`);
      const points = (await text(page.locator(".answer-text"))).match(/Change point:/g) || [];
      assert.equal(await chart(page).locator(".change").count(), points.length, `lines at ${width} px`);
      const box = await chart(page).boundingBox();
      assert.ok(box.width >= 200 && box.x >= 0 && box.x + box.width <= width, `a chart of ${box.width} px at ${width} px`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide at ${width} px`);
    }
  },

  "a row of a trend leads to its entries by key": async ({ page }) => {
    await visit(page, asked());
    await page.locator(".counts").waitFor();
    const link = page.locator(".counts a").first();
    const count = Number(await text(page.locator(".counts tr:has(a) .count").first()));
    await link.focus();
    await page.keyboard.press("Enter");
    await page.locator(".counts").waitFor({ state: "detached" });
    await page.locator(".hit").first().waitFor();
    assert.equal(await page.locator(".hit").count(), count);
  },

  "trends have no faults of accessibility": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await visit(page, asked());
        await chart(page).waitFor();
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`), [], colorScheme);
      }
    },
  },
};
