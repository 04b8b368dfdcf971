// Saved searches: saved, shown and deleted on their page.

import { address, assert, axe, text, visit } from "./harness.mjs";

const WIDTHS = [360, 768, 1280];

const searches = (page) => page.getByRole("list", { name: "Saved searches" }).locator("li");
const outcome = (page) => page.locator("form.create [role=status]");

export const savedTests = {
  "a search is saved and deleted by key, at three widths": async ({ page }) => {
    for (const width of WIDTHS) {
      const name = `pumps at ${width}`;
      await page.setViewportSize({ width, height: 900 });
      await visit(page, "/saved?q=pump");
      assert.equal(await page.getByLabel("Query", { exact: true }).inputValue(), "pump");
      await page.getByLabel("Name").focus();
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      const row = searches(page).filter({ hasText: name });
      await row.waitFor();
      await outcome(page).filter({ hasText: name }).waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide at ${width} px`);
      await row.getByRole("button").focus();
      await page.keyboard.press("Enter");
      await row.waitFor({ state: "detached" });
      await page.waitForFunction(() => document.activeElement.id === "saved-query");
    }
  },

  "a search without words and filter is refused in place": {
    expects: ["400"],
    run: async ({ page }) => {
      await visit(page, "/saved");
      await page.getByLabel("Query", { exact: true }).focus();
      await page.keyboard.press("Enter");
      await outcome(page).getByRole("alert").waitFor();
      assert.match(await text(outcome(page)), /needs a query or a filter/);
    },
  },

  "the link of a search has its query and its filters": async ({ page }) => {
    const data = { name: "pumps of Lindqvist", query: "pump", filters: { author: "Lindqvist" } };
    const made = await (await page.request.post(`${address}/api/searches`, { data })).json();
    await visit(page, "/saved");
    const link = searches(page).getByRole("link", { name: data.name });
    assert.equal(await link.getAttribute("href"), "/?q=pump&f.author=Lindqvist");
    await page.request.delete(`${address}/api/searches/${made.search_id}`);
  },

  "saved searches have no faults of accessibility": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await visit(page, "/saved");
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`), [], colorScheme);
      }
    },
  },
};
