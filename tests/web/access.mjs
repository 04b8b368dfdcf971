// Use without a mouse, on a phone, in the dark, with little motion, and by
// screen readers.

import { QUESTION, assert, axe, hits, search, text, until, visit, watchShifts } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const PAGES = ["/", search(QUESTION), search("trip", { mode: "keyword", "f.shift": "Night" }), "/browse?day=2025-06-11", "/entry/SKY-0170?q=wiggler+quench", "/new", "/status", "/plugins", "/agent"];

export const accessTests = {
  "everything of a search is reached by keys": async ({ page, seen }) => {
    await visit(page, "/browse");
    await page.keyboard.press("/");
    await page.keyboard.type(QUESTION);
    await page.keyboard.press("Enter");
    await page.locator(".answer .badge").waitFor();
    await page.keyboard.press("ArrowDown");
    assert.ok(await focused(page, ".hit-title"));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("o");
    assert.equal(await page.locator(".answer-toggle").getAttribute("aria-expanded"), "false");
    await page.keyboard.press("t");
    assert.ok(await focused(page, "#time"));
    await page.keyboard.press("f");
    assert.ok(await focused(page, ".facet input"));
    await page.keyboard.press("Space");
    await page.locator(".chip.strict").waitFor();
    assert.ok(Object.values(seen.searches.at(-1).filters).length);
    await page.keyboard.press("?");
    assert.ok(await page.locator("#keys").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#keys").isHidden());
    await page.keyboard.press("Escape");
    assert.ok(await focused(page, "#q"));
    await page.waitForLoadState("networkidle");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".entry h1").waitFor();
  },

  "focus is visible wherever Tab leads": async ({ page }) => {
    await visit(page, search(QUESTION));
    await page.locator("body").press("Tab");
    const names = new Set();
    for (let count = 0; count < 30; count += 1) {
      const seen = await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement);
        return { name: document.activeElement.outerHTML.slice(0, 120), outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 };
      });
      names.add(seen.name);
      assert.ok(seen.outline, seen.name);
      await page.keyboard.press("Tab");
    }
    assert.ok(names.size > 20, String(names.size));
  },

  "a phone shows the box, the entries and a sheet for facets": {
    options: PHONE,
    run: async ({ page }) => {
      for (const path of PAGES) {
        await visit(page, path);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `${path} is ${width} px wide`);
        const menu = await page.locator("#menu").boundingBox();
        assert.ok(menu.x > 0 && menu.x + menu.width < 390, `${path}: the pages are reached`);
      }
      await visit(page, search(QUESTION));
      const answer = await page.locator(".answer-text").boundingBox();
      assert.ok(answer.height < 60, `the answer takes ${answer.height} px`);
      await page.getByRole("button", { name: "Show all" }).tap();
      assert.ok((await page.locator(".answer-text").boundingBox()).height > 100);
      await page.getByRole("button", { name: "Show less" }).tap();
      assert.ok((await page.locator(".answer-text").boundingBox()).height < 60);
      const title = await page.locator(".hit-title").first().boundingBox();
      assert.ok(title.y < 844);
      assert.ok(await page.locator("#side").isHidden());
      await page.getByRole("button", { name: "Filters and time" }).tap();
      await page.locator("#side .facet label").first().tap();
      await page.locator(".chip.strict").waitFor();
      await page.getByRole("button", { name: "Done" }).tap();
      assert.ok(await page.locator("#side").isHidden());
    },
  },

  "on a phone every page is in a list that opens from the bar": {
    options: PHONE,
    run: async ({ page }) => {
      await visit(page, "/");
      const pages = page.locator("#pages");
      assert.ok(await pages.isHidden());
      const menu = page.locator("#menu");
      assert.equal(await text(menu), "Search");
      for (const name of ["Browse", "Agent", "New entry", "Status", "Plugins", "Search"]) {
        await menu.tap();
        const one = pages.getByRole("link", { name, exact: true });
        assert.ok((await one.boundingBox()).height >= 40);
        await one.tap();
        await until(async () => (await text(menu)) === name && (await pages.isHidden()), name);
      }
      await menu.tap();
      await page.keyboard.press("Escape");
      assert.ok(await pages.isHidden());
      assert.ok(await focused(page, "#menu"));
    },
  },

  "colors follow the system and can be chosen": {
    options: { colorScheme: "dark" },
    run: async ({ page }) => {
      const isDark = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).every((part) => Number(part) < 60));
      await visit(page, "/");
      assert.ok(await isDark());
      await page.getByRole("button", { name: "Colors: as the system" }).click();
      await page.getByRole("button", { name: "Colors: dark" }).click();
      assert.ok(!(await isDark()));
      await page.reload();
      assert.ok(!(await isDark()));
    },
  },

  "nothing moves for those who want little motion": {
    options: { reducedMotion: "reduce" },
    run: async ({ page }) => {
      await visit(page, search(QUESTION));
      const moving = await page.evaluate(() => {
        document.getElementById("progress").hidden = false;
        return [...document.querySelectorAll("*")].filter((node) => {
          const style = getComputedStyle(node);
          return style.animationName !== "none" || style.transitionDuration.split(", ").some((time) => parseFloat(time) > 0);
        }).map((node) => node.outerHTML.slice(0, 80));
      });
      assert.deepEqual(moving, []);
    },
  },

  "results replace results without moving the page": async ({ page }) => {
    await watchShifts(page);
    await visit(page, search("trip", { mode: "keyword" }));
    await page.evaluate(() => { window.shifted = 0; });
    await page.locator("#q").fill("trip of the cavity");
    await until(async () => /cavity/.test(page.url()), "the search runs");
    await page.waitForLoadState("networkidle");
    assert.ok((await hits(page).count()) > 0);
    const shifted = await page.evaluate(() => window.shifted);
    assert.ok(shifted < 0.02, String(shifted));
  },

  "no page has serious faults of accessibility, light and dark": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme });
        for (const path of PAGES) {
          await visit(page, path);
          if (path.startsWith(search(QUESTION))) await page.locator(".provenance").first().click();
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
          const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
          const told = serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`);
          assert.deepEqual(told, [], `${path} ${scheme}`);
        }
      }
    },
  },

  "every page has one heading and a title": async ({ page }) => {
    for (const path of PAGES) {
      await visit(page, path);
      assert.equal(await page.locator("h1").count(), 1, path);
      assert.match(await page.title(), /Gannet/);
      assert.ok((await text(page.locator("main"))).length > 20, path);
    }
  },
};

function focused(page, selector) {
  return page.evaluate((selector) => document.activeElement.matches(selector), selector);
}
