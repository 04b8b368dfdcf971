// Questions about a set of entries: its conditions as chips, and its counts as a
// table with bars.

import { readFile } from "node:fs/promises";

import { ATTACKS } from "./attacks.mjs";
import { address, assert, axe, hits, search, text, until, visit } from "./harness.mjs";
import { isHarmless } from "./safety.mjs";

const BY_AUTHOR = "how many entries by author in June 2025";
const BY_MONTH = "how many entries by month in 2025?";
const ABOUT_SEALS = "how many entries about seals by month in 2025?";
const BY_SHIFT = "how many entries by Voss per shift";
const WIDTHS = [360, 768, 1280];

const asked = (question) => search(question, { mode: "rag" });
const rows = (page) => page.locator(".counts tbody tr");
const total = async (page) => Number((await text(page.locator(".answer-text"))).match(/([\d,]+) entr/)[1].replaceAll(",", ""));
const labels = (page) => page.locator(".chip").evaluateAll((chips) => chips.map((chip) => [...chip.querySelectorAll(".chip-kind, .chip-label")].map((part) => part.textContent).join(" ")));

async function readRows(page) {
  return rows(page).evaluateAll((all) => all.map((row) => ({
    value: row.querySelector("th").innerText, count: Number(row.querySelector(".count").innerText.replaceAll(",", "")), href: row.querySelector("a")?.getAttribute("href"),
    bar: row.querySelector("progress").value, most: row.querySelector("progress").max,
  })));
}

/** Every streamed search ends with this set. */
async function answerWith(page, change) {
  await page.route("**/api/search/stream", async (route) => {
    const found = await page.request.post(`${address}/api/search`, { data: JSON.parse(route.request().postData()) });
    const done = change(await found.json());
    return route.fulfill({ contentType: "text/event-stream", body: `event: done\ndata: ${JSON.stringify(done)}\n\n` });
  });
}

export const setTests = {
  "every condition of a set is a chip that is taken away by key": async ({ page, seen }) => {
    await visit(page, asked(`${BY_SHIFT} since 2024`));
    await page.locator(".counts").waitFor();
    const all = await labels(page);
    assert.ok(["count", "by shift", "author Petra Voss"].every((one) => all.includes(one)), all.join(" | "));
    assert.ok(all.some((one) => one.startsWith("time since 2024")), all.join(" | "));
    await visit(page, asked(BY_SHIFT));
    await page.locator(".counts").waitFor();
    const whole = await total(page);
    const button = page.getByRole("button", { name: "Remove author Petra Voss" });
    await button.focus();
    await page.keyboard.press("Enter");
    await until(async () => (await total(page)) > whole, "the set is larger");
    assert.deepEqual(seen.searches.at(-1).ignored_words, ["Voss"]);
    assert.ok(!(await labels(page)).includes("author Petra Voss"));
    assert.match(await text(page.locator(".chip.ignored")), /Voss\s*left out/);
    assert.ok(await page.evaluate(() => document.activeElement.matches(".chip-action")), "the focus stays in the row");
    await page.getByRole("button", { name: "Remove by shift" }).press("Space");
    await page.locator(".counts").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Read Voss again" }).press("Enter");
    await until(async () => (await total(page)) === whole, "the set is as before");
    assert.ok(!(await labels(page)).includes("by shift"));
  },

  "without the words of its topic a set has all entries of its time": async ({ page }) => {
    await visit(page, asked(ABOUT_SEALS));
    await page.locator(".counts").waitFor();
    assert.ok((await labels(page)).includes("about seals"), (await labels(page)).join(" | "));
    const some = await total(page);
    await page.getByRole("button", { name: "Remove about seals" }).click();
    await until(async () => (await total(page)) > some, "more entries");
    await page.getByRole("button", { name: "Remove 2025", exact: true }).click();
    await until(async () => (await page.locator(".chip.ignored").count()) === 2, "the year is left out");
  },

  "counts add up, and each leads to its entries": async ({ page }) => {
    for (const question of [BY_AUTHOR, BY_SHIFT, BY_MONTH]) {
      await visit(page, asked(question));
      await page.locator(".counts").waitFor();
      const [all, counted] = [await readRows(page), await total(page)];
      assert.equal(all.reduce((sum, row) => sum + row.count, 0), counted, question);
      const most = Math.max(...all.map((row) => row.count));
      assert.ok(all.every((row) => row.bar === row.count && row.most === most), question);
      assert.doesNotMatch(await text(page.locator(".answer-text ul")), /: \d+$/m, "no count is told twice");
      const row = all.filter((one) => one.count > 0).at(-1);
      assert.ok(all.every((one) => Boolean(one.href) === one.count > 0), question);
      await page.locator(`.counts a[href="${row.href}"]`).click();
      await until(async () => (await page.locator("#mode").inputValue()) === "keyword", "the search of the row");
      await until(async () => (await hits(page).count()) === row.count, `${question}: the entries of ${row.value}`);
    }
  },

  "a row leads where the server says, and keeps the filters": async ({ page }) => {
    await answerWith(page, (found) => { for (const row of found.pipeline_details.set.rows) row.filter = `shift:"${row.value}" author:voss`; return found; });
    await visit(page, search("how many entries per shift", { mode: "rag", "f.author": "Petra Voss" }));
    const to = new URL(await page.locator(".counts a").first().getAttribute("href"), address);
    assert.match(to.searchParams.get("q"), /^shift:"\w+" author:voss$/);
    assert.equal(to.searchParams.get("f.author"), "Petra Voss");
  },

  "at most twenty entries are listed, and a link leads to all": async ({ page }) => {
    await visit(page, search("how many entries in June 2025", { mode: "rag", n: "30" }));
    await page.locator(".counts-foot").waitFor();
    const counted = await total(page);
    assert.ok(counted > 20 && (await page.locator(".answer-text li").count()) <= 20);
    assert.equal(await page.locator(".counts").count(), 0);
    await page.getByRole("link", { name: `Show all ${counted} entries` }).click();
    await until(async () => (await hits(page).count()) === counted, "all entries");
  },

  "the counts are downloaded as CSV": async ({ page }) => {
    await answerWith(page, (found) => { found.pipeline_details.set.rows.push({ value: 'a "b", c', count: 2 }, { value: "=1+1", count: 1 }); return found; });
    await visit(page, asked(BY_AUTHOR));
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "entries-by-author.csv");
    const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
    const shown = await readRows(page);
    assert.deepEqual(lines.slice(0, 2), ["author,entries", `${shown[0].value},${shown[0].count}`]);
    assert.deepEqual(lines.slice(-3), ['"a ""b"", c",2', "'=1+1,1", ""]);
    assert.equal(lines.length, shown.length + 2);
  },

  "counts and chips have room at every width": async ({ page }) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 720 });
      for (const question of [BY_AUTHOR, BY_MONTH]) {
        await visit(page, asked(question));
        const unfold = page.getByRole("button", { name: "Show all", exact: true });
        if (await unfold.isVisible()) await unfold.click();
        const inner = await page.evaluate(() => [document.documentElement, document.querySelector(".answer-text"), document.querySelector(".counts")].map((node) => node.scrollWidth - node.clientWidth));
        assert.ok(inner.every((more) => more <= 0), `${question} at ${width} px: ${inner}`);
        const bar = await page.locator(".counts progress").first().boundingBox();
        assert.ok(bar.width >= 80, `a bar of ${bar.width} px at ${width} px`);
      }
    }
  },

  "sets have no faults of accessibility": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await visit(page, asked(BY_MONTH));
        await page.getByRole("button", { name: "Show all", exact: true }).click();
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`), [], colorScheme);
        assert.equal(await page.getByRole("table", { name: "Entries by month" }).getByRole("row").count(), (await rows(page).count()) + 1);
      }
    },
  },

  "hostile values of a set are shown as text": async ({ page }) => {
    await answerWith(page, (found) => {
      const [set, counted] = [found.plan.set, found.pipeline_details.set];
      const words = Object.fromEntries(ATTACKS.map((attack) => [`meta.${attack}`, [attack]]));
      const filter = ATTACKS.map((attack, at) => ({ field: { metadata: attack }, condition: at % 3 ? { equals: attack } : at % 2 ? { any_of: [attack, attack] } : { contains: "" } }));
      Object.assign(set, { filter, field_words: words, group_words: ATTACKS[0], group_by: ATTACKS[1], topic: ATTACKS, operation: ATTACKS[2] });
      Object.assign(counted, { group_by: ATTACKS[3], rows: ATTACKS.map((value, at) => ({ value, count: at + 1, ...(at % 2 ? { filter: value } : {}) })) });
      return { ...found, answer: `3 entries, by ${ATTACKS[3]}:\n${ATTACKS.map((attack, at) => `- ${attack}: ${at + 1}`).join("\n")}` };
    });
    await visit(page, asked(BY_AUTHOR));
    await page.locator(".counts").waitFor();
    assert.equal(await rows(page).count(), ATTACKS.length);
    assert.ok((await page.locator(".chip").count()) > 2 * ATTACKS.length);
    await isHarmless(page, "a set");
    await page.locator(".counts a").first().press("Enter");
    await hits(page).or(page.locator(".empty")).first().waitFor();
    await isHarmless(page, "the entries of a row");
  },
};
