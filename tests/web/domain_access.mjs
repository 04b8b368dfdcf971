// Search over several domains without a mouse, on a phone, in the dark, and by
// screen readers.

import { assert, axe, search, text, until, visit, watchShifts } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const TROUBLE = search("what went wrong with CAV1?");
const PAGES = ["/", TROUBLE, search("qqqq"), search("circulator", { scope: "rounds" }), search("what went wrong with CAV1?", { scope: "logbook", "f.shift": "Night" })];

const focused = (page, selector) => page.evaluate((selector) => document.activeElement.matches(selector), selector);

export const domainAccessTests = {
  "everything of a search over domains is reached by keys": async ({ page, seen }) => {
    await visit(page, "/browse");
    await page.keyboard.press("/");
    await page.keyboard.type("what went wrong with CAV1?");
    await page.keyboard.press("Enter");
    await page.locator(".card").first().waitFor();
    await page.locator("h1").focus().catch(() => {});
    await page.keyboard.press("ArrowDown");
    assert.ok(await focused(page, ".card .hit-title"));
    await page.keyboard.press("s");
    assert.ok(await focused(page, ".domain-button"));
    await page.keyboard.press("Space");
    await until(() => seen.unified.at(-1).scope.length === 1, "the domain is put first");
    await until(async () => (await page.locator(".overflow").count()) === 1, "the result");
    assert.ok(await focused(page, '.domain-button[aria-pressed="true"]'), "the focus stays on it");
    await page.keyboard.press("o");
    assert.equal(await page.locator(".answer-toggle").getAttribute("aria-expanded"), "false");
    await page.keyboard.press("h");
    await until(() => focused(page, ".history a"), "the first of the earlier questions");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator(".history").isHidden());
    await page.keyboard.press("?");
    assert.match(await text(page.locator("#keys")), /go to the domains/);
    await page.keyboard.press("Escape");
  },

  "focus is visible wherever Tab leads among cards": async ({ page }) => {
    await visit(page, TROUBLE);
    await page.locator("#q").focus();
    for (let count = 0; count < 40; count += 1) {
      await page.keyboard.press("Tab");
      const seen = await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement);
        return { name: document.activeElement.outerHTML.slice(0, 120), outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 };
      });
      assert.ok(seen.outline, seen.name);
    }
  },

  "the first entry is above the fold of a laptop, with a domain that failed": async ({ page }) => {
    await visit(page, search("why did the flow switch of RF-2 trip the circulator?"));
    const title = await page.locator(".hit-title").first().boundingBox();
    assert.ok(title.y + title.height < 720, JSON.stringify(title));
  },

  "cards fit a phone, with a domain that failed in view and the others beside it": {
    options: PHONE,
    run: async ({ page }) => {
      for (const path of PAGES) {
        await visit(page, path);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `${path} is ${width} px wide`);
      }
      await visit(page, TROUBLE);
      const failed = await page.locator(".domain-button.failed").boundingBox();
      assert.ok(failed.x >= 0 && failed.x + failed.width <= 390, JSON.stringify(failed));
      const buttons = await page.locator(".domain-button").all();
      const rows = new Set(await Promise.all(buttons.map(async (button) => (await button.boundingBox()).y)));
      assert.equal(rows.size, 1, "one row, which scrolls");
      const title = await page.locator(".hit-title").first().boundingBox();
      assert.ok(title.y < 844, JSON.stringify(title));
      await page.locator('.domain-button[data-domain="logbook"]').tap();
      await until(() => page.url().includes("scope=logbook"), "a domain is put first");
    },
  },

  "cards replace cards without moving the page": async ({ page }) => {
    await watchShifts(page);
    await visit(page, TROUBLE);
    await page.evaluate(() => { window.shifted = 0; });
    await page.locator('.domain-button[data-domain="logbook"]').click();
    await until(() => page.url().includes("scope=logbook"), "the search runs");
    await page.waitForLoadState("networkidle");
    const shifted = await page.evaluate(() => window.shifted);
    assert.ok(shifted < 0.02, String(shifted));
  },

  "no view over domains has serious faults of accessibility, light and dark": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme });
        for (const path of PAGES) {
          await visit(page, path);
          await page.getByRole("button", { name: "Your earlier questions" }).click();
          await page.locator(".history header").waitFor();
          await page.locator(".provenance").first().click({ timeout: 500 }).catch(() => {});
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
          const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
          const told = serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`);
          assert.deepEqual(told, [], `${path} ${scheme}`);
        }
      }
    },
  },
};
