// Saved searches: saved, shown and deleted on their page; and digests.

import { address, assert, axe, search, text, until, visit } from "./harness.mjs";

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

  "filters and the least similarity are set, and a match is shown with its words": async ({ page }) => {
    await visit(page, "/saved?q=ferrolyte+leak&f.author=Ada");
    const filters = page.getByLabel("Only entries with");
    assert.equal(await filters.inputValue(), "author=Ada");
    await filters.fill("author=Ada\nsource");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    assert.match(await text(outcome(page).getByRole("alert")), /“source” is no filter/);
    await filters.fill("author=Ada\n");
    const similarity = page.getByLabel("Least similarity");
    assert.ok(await similarity.isHidden(), "words have no similarity");
    await page.getByLabel("Match by").selectOption("either");
    await similarity.fill("0.95");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const row = searches(page).filter({ hasText: "ferrolyte leak" });
    await row.waitFor();
    assert.match(await text(row), /author=Ada[^]*words or meaning, from 0.95 on/);
    assert.equal(await filters.inputValue(), "");
    for (const author of ["Bo", "Ada"]) {
      const data = { subject: `Pump of ${author}`, details: "The ferrolyte leaked again.", author };
      assert.ok((await page.request.post(`${address}/api/entries`, { data })).ok());
    }
    const matches = async () => (await (await page.request.get(`${address}/api/searches/matches`)).json()).matches;
    await until(async () => (await matches()).length > 0, "a match", 30_000);
    await visit(page, "/saved");
    const found = page.getByRole("list", { name: "Found entries" }).locator("li");
    assert.equal(await found.count(), 1);
    assert.match(await text(found), /Pump of Ada[^]*ferrolyte leak/);
    assert.deepEqual(await found.locator("mark").allInnerTexts(), ["ferrolyte", "leaked"]);
    await found.getByRole("link").click();
    await page.locator(".entry h1", { hasText: "Pump of Ada" }).waitFor();
    await visit(page, "/saved");
    await row.getByRole("button").click();
    await row.waitFor({ state: "detached" });
  },

  "a digest is shown with its headings and its citations": async ({ page }) => {
    await visit(page, search("2025-06-11", { mode: "digest" }));
    const digest = page.locator(".answer-text");
    await digest.waitFor();
    assert.match(await text(digest), /Changed state/);
    assert.ok((await digest.locator(".cite").count()) > 0);
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
