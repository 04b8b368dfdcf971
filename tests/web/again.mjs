// Whether an event happened before: beside an entry, and in the form for a new one.

import { assert, axe, text, until, visit } from "./harness.mjs";

const WIDTHS = [360, 768, 1280];
const ENTRY = "/entry/SKY-0111";

const panel = (page) => page.locator(".again");

async function fits(page, width) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(overflow <= 0, `${overflow} px too wide at ${width} px`);
}

/** Opens the entries of the first group by key. */
async function unfold(page) {
  const summary = panel(page).locator("summary").first();
  await summary.focus();
  await page.keyboard.press("Enter");
  await panel(page).locator("details[open] li").first().waitFor();
}

async function type(page, title, details) {
  await visit(page, "/new");
  await page.getByLabel("Title").focus();
  await page.keyboard.type(title);
  await page.keyboard.press("Tab");
  await page.keyboard.type(details);
}

export const againTests = {
  "an entry shows how often it happened and what fixed it, with the entries by key": async ({ page, seen }) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await visit(page, ENTRY);
      await panel(page).waitFor();
      const said = await text(panel(page));
      assert.match(said, /SR03 \(.*circulator.*\): this happened at least once, on 25 Mar 2025\./);
      assert.match(said, /What fixed it: “.+”/);
      await unfold(page);
      assert.match(await text(panel(page).locator("li", { hasText: "SKY-0090" })), /same sector SR03/);
      await fits(page, width);
      assert.equal(await text(panel(page).locator("[aria-current]")), await text(page.locator(".entry h1")));
      await panel(page).getByRole("link", { name: "Clamp-on flow meter" }).focus();
      await page.keyboard.press("Enter");
      await until(() => page.url().endsWith("/entry/SKY-0090"), "the other entry");
    }
    // The thread of the entry has the groups.
    assert.ok(!seen.searches.some((one) => one.mode === "recurrence"), "a search for the groups");
  },

  "a new entry shows what happened before while it is typed, and keeps what is typed": async ({ page, seen }) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await type(page, "RF trip: CAV1 reflected power, beam lost", "Peak 46 kW, beam lost from 300 mA.");
      await panel(page).waitFor();
      assert.match(await text(panel(page)), /CAV1 \(.+\): this happened at least once, on \d+ Mar 2025\./);
      await unfold(page);
      await fits(page, width);
      const link = panel(page).locator("li").getByRole("link").first();
      await link.focus();
      await page.keyboard.press("Enter");
      await page.locator(".entry h1").waitFor();
      await page.goBack();
      await panel(page).waitFor();
      await page.getByLabel("Title").fill("");
      await page.getByLabel("Text", { exact: true }).fill("");
      await panel(page).waitFor({ state: "detached" });
    }
    const asked = seen.searches.filter((one) => one.mode === "recurrence" && !one.query.startsWith("id:"));
    assert.ok(asked.length <= 3 * WIDTHS.length, `${asked.length} searches for what was typed`);
  },

  "a new entry of which nothing is known has no panel": async ({ page, seen }) => {
    await type(page, "A goose walked into the canteen", "It left by itself.");
    await until(() => seen.searches.some((one) => one.mode === "recurrence"), "the search");
    await page.waitForLoadState("networkidle");
    assert.equal(await panel(page).count(), 0);
    await page.getByLabel("Title").fill("");
    await page.getByLabel("Text", { exact: true }).fill("");
  },

  "what happened before has no faults of accessibility": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await visit(page, ENTRY);
        await unfold(page);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`), [], colorScheme);
      }
    },
  },
};
