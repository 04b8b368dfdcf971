// Search: modes, typing, answers and citations, the plan, facets, time.

import { QUESTION, address, assert, hits, search, text, until, visit } from "./harness.mjs";

export const searchTests = {
  "each mode of the server can be chosen and finds entries": async ({ page, seen }) => {
    const capabilities = await (await page.request.get(`${address}/api/capabilities`)).json();
    const all = Object.values(capabilities.categories).flatMap((category) => category.modes.map((mode) => mode.name));
    // A thread is of an entry, and not of a question.
    const modes = all.filter((mode) => mode !== "thread");
    assert.ok(modes.length >= 4, String(modes));
    await visit(page, search(QUESTION));
    for (const mode of modes) {
      await page.selectOption("#mode", mode);
      await until(() => new URL(page.url()).searchParams.get("mode") === mode, `the address has ${mode}`);
      await page.waitForLoadState("networkidle");
      assert.ok((await hits(page).count()) > 0, mode);
      // Unified search has routes of its own.
      if (mode === "unified") assert.equal(seen.unified.at(-1).q, QUESTION);
      else assert.equal(seen.searches.at(-1).mode, mode);
    }
  },

  "typing searches words as one types and Enter runs the chosen mode": async ({ page, seen }) => {
    await visit(page, "/");
    await page.locator("#q").pressSequentially("flow swi");
    await until(async () => (await hits(page).count()) > 0 && seen.searches.at(-1)?.query === "flow swi", "results while typing");
    const before = seen.searches.length;
    // Keys that come in one burst.
    await page.locator("#q").evaluate((box) => ["flow swit", "flow switc", "flow switch"].forEach((typed) => {
      box.value = typed;
      box.dispatchEvent(new Event("input"));
    }));
    await until(async () => seen.searches.at(-1).query === "flow switch", "results of the last key");
    assert.equal(seen.searches.length, before + 1);
    assert.ok(seen.searches.every((one) => one.mode === "keyword"));
    await page.keyboard.press("Enter");
    await page.locator(".answer .badge").waitFor();
    assert.equal(seen.searches.at(-1).mode, "rag");
    assert.ok(!page.url().includes("quick"));
  },

  "a key cancels the search of the one before": async ({ page }) => {
    await visit(page, "/");
    let held;
    const isHeld = new Promise((done) => { held = done; });
    let isFirst = true;
    const failed = [];
    page.on("requestfailed", (request) => request.url().endsWith("/api/search") && failed.push(JSON.parse(request.postData()).query));
    await page.route("**/api/search", (route) => {
      if (!isFirst) return route.continue();
      isFirst = false;
      return held();
    });
    await page.locator("#q").pressSequentially("flow");
    await isHeld;
    await page.locator("#q").pressSequentially(" switch");
    await hits(page).first().waitFor();
    assert.equal(failed.length > 0 && "flow switch".startsWith(failed[0]), true, String(failed));
    assert.match(await text(hits(page).first()), /flow switch/i);
  },

  "entries are sorted by time by a choice that the address keeps": async ({ page }) => {
    await visit(page, search("trip", { mode: "keyword", n: "30" }));
    const times = () => page.locator(".hit time").evaluateAll((all) => all.map((one) => one.dateTime));
    const byRelevance = await times();
    await page.locator("#sort").selectOption({ label: "newest first" });
    await until(async () => { const shown = await times(); return shown.join() === [...shown].sort().reverse().join(); }, "newest first");
    assert.equal(new URL(page.url()).searchParams.get("sort"), "time");
    await page.goBack();
    await until(async () => (await times()).join() === byRelevance.join(), "back is best first");
  },

  "an answer says how it was found, with the counts of its stages": async ({ page }) => {
    await visit(page, search(QUESTION));
    await page.locator(".answer .how summary").click();
    assert.match(await text(page.locator(".stages")), /retrieve[\s\S]*semantic \d+[\s\S]*ms/);
  },

  "an answer is streamed, and a citation leads to its sentence": async ({ page }) => {
    const streams = [];
    page.on("request", (request) => request.url().endsWith("/api/search/stream") && streams.push(request));
    await visit(page, search(QUESTION));
    assert.equal(streams.length, 1);
    const cite = page.locator(".cite").first();
    const id = await cite.getAttribute("data-cites");
    await cite.hover();
    assert.ok(await page.locator(`[data-hit="${id}"].lit`).count(), "the entry is marked");
    await cite.click();
    const quoted = page.locator(`[data-hit="${id}"] mark.quoted`);
    await quoted.waitFor();
    const answer = await text(page.locator(".answer-text"));
    assert.ok(answer.includes((await quoted.innerText()).slice(0, 30)), "the sentence of the answer is marked in the entry");
    assert.ok(await quoted.evaluate((mark) => mark.getBoundingClientRect().bottom <= innerHeight));
  },

  "the first entry is above the fold of a laptop, with the answer open": async ({ page }) => {
    await visit(page, search(QUESTION));
    const title = await page.locator(".hit-title").first().boundingBox();
    assert.ok(title.y + title.height < 720, JSON.stringify(title));
  },

  "a closed answer stays closed": async ({ page }) => {
    await visit(page, search(QUESTION));
    await page.locator(".hit-title").first().focus();
    await page.keyboard.press("o");
    assert.equal(await page.locator(".answer-toggle").getAttribute("aria-expanded"), "false");
    await page.reload();
    await page.locator(".cite").first().waitFor({ state: "attached" });
    assert.equal(await page.locator(".answer-toggle").getAttribute("aria-expanded"), "false");
  },

  "a part of the plan can be taken away and made strict": async ({ page, seen }) => {
    await visit(page, search(QUESTION));
    const chip = (label) => page.locator(".chip", { hasText: label });
    await chip("June 2025").getByRole("button", { name: /Remove/ }).click();
    await until(async () => (await page.locator(".chip.ignored").count()) === 1, "the time is only words");
    assert.deepEqual(seen.searches.at(-1).ignored_words, ["June 2025"]);
    await page.locator(".chip.ignored button").click();
    await until(async () => (await page.locator(".chip.ignored").count()) === 0, "the time is read again");
    await chip("June 2025").getByRole("button", { name: /strict/ }).click();
    await page.locator(".chip.strict").waitFor();
    const last = seen.searches.at(-1);
    assert.deepEqual([last.start_date, last.end_date], ["2025-06-01", "2025-06-30"]);
    await page.waitForLoadState("networkidle");
    for (const time of await page.locator(".hit time").all()) assert.ok((await time.getAttribute("datetime")).startsWith("2025-06"));
    await page.locator(".chip.strict button").click();
    await until(async () => (await page.locator(".chip.strict").count()) === 0, "the filter is gone");
  },

  "facets narrow the entries and their counts agree with the results": async ({ page, seen }) => {
    await visit(page, search("trip", { mode: "keyword", n: "100" }));
    const box = page.locator('[data-field="shift"] input[data-value="Night"]');
    const count = Number(await text(page.locator('[data-field="shift"] li', { has: page.locator('input[data-value="Night"]') }).locator(".count")));
    assert.ok(count > 0);
    await box.check();
    await until(() => seen.searches.at(-1).filters.shift === "Night", "the filter is sent");
    await until(async () => (await hits(page).count()) >= count && (await page.locator(".hit .meta", { hasText: "day" }).count()) === 0, "only entries of the night");
    assert.match(await text(page.locator("#count")), new RegExp(` of ${count}\\b`));
    await page.goBack();
    await until(async () => (await page.locator(".chip.strict").count()) === 0, "back undoes it");
  },

  "time can be brushed with the mouse and with the keyboard": async ({ page }) => {
    await visit(page, search("trip", { mode: "keyword" }));
    const brush = page.locator("#time");
    const { x, y, width } = await brush.boundingBox();
    await page.mouse.move(x + width * 0.2, y + 30);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + 30, { steps: 5 });
    await page.mouse.up();
    await page.locator(".chip.strict").waitFor();
    const params = new URL(page.url()).searchParams;
    assert.ok(params.get("from") < params.get("to"), page.url());
    await page.waitForLoadState("networkidle");
    for (const time of await page.locator(".hit time").all()) {
      const day = (await time.getAttribute("datetime")).slice(0, 10);
      assert.ok(day >= params.get("from") && day <= params.get("to"), day);
    }
    await page.locator(".chip.strict button").click();
    await page.waitForLoadState("networkidle");
    await brush.focus();
    for (const key of ["Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter"]) await page.keyboard.press(key);
    await page.locator(".chip.strict").waitFor();
    assert.ok(new URL(page.url()).searchParams.get("from"));
  },

  "the address holds the whole search": async ({ page, seen }) => {
    await visit(page, "/?q=trip&mode=keyword&sort=time&from=2025-03-01&to=2025-06-30&f.shift=Night%7CDay&n=30&p.fuzzy_fallback=false");
    const request = seen.searches.at(-1);
    assert.deepEqual(
      [request.query, request.mode, request.sort_by_time, request.start_date, request.end_date, request.filters, request.max_results, request.advanced_params],
      ["trip", "keyword", true, "2025-03-01", "2025-06-30", { shift: "Night|Day" }, 30, { fuzzy_fallback: false }]);
    const times = await page.locator(".hit time").evaluateAll((all) => all.map((one) => one.dateTime));
    assert.deepEqual(times, [...times].sort().reverse());
    assert.ok(times.length > 3);
  },

  "parameters of a mode are drawn from its descriptor and sent": async ({ page, seen }) => {
    await visit(page, search(QUESTION));
    await page.getByRole("button", { name: "Options" }).click();
    await page.selectOption("#option-method", "keyword");
    await until(() => seen.searches.at(-1).advanced_params.method === "keyword", "the parameter is sent");
    assert.ok(new URL(page.url()).searchParams.get("p.method"));
  },

  "a mode of the address that the server does not have is said": async ({ page, seen }) => {
    await visit(page, search(QUESTION, { mode: "xyz" }));
    const note = page.locator(".note-box", { hasText: "no mode xyz" });
    await note.waitFor();
    assert.ok((await hits(page).count()) > 0);
    assert.equal(seen.searches.at(-1).mode, "rag");
    await page.selectOption("#mode", "keyword");
    await until(async () => (await note.count()) === 0, "a mode that it has");
    await page.goBack();
    await note.waitFor();
  },

  "each entry says why it was found": async ({ page }) => {
    await visit(page, search(QUESTION));
    const first = hits(page).first();
    assert.doesNotMatch(await text(first), /#\d/);
    assert.match(await text(page.locator("#count")), /^10 of at least \d+ matching entries/);
    await first.locator(".provenance").click();
    assert.ok((await first.locator(".why tbody tr").count()) >= 2);
    assert.match(await text(first.locator(".why")), /semantic/);
  },

  "notes of the search and a result without entries are shown in words": async ({ page }) => {
    await visit(page, search("xyzzyqwertz AND plughfoobar", { mode: "keyword" }));
    assert.match(await text(page.locator(".empty")), /No entry found/);
    await visit(page, search("what fixed the RF trips?", { mode: "agent" }));
    assert.match(await text(page.locator(".note.warning").first()), /no chat model is configured/);
  },

  "a failed search says so in place and can be repeated": {
    expects: ["503"],
    run: async ({ page }) => {
      let fails = true;
      await page.route("**/api/search", (route) => fails
        ? route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ status: 503, detail: "too many searches", code: "overloaded", request_id: "r1" }) })
        : route.continue());
      await visit(page, search("trip", { mode: "keyword" }));
      assert.match(await text(page.getByRole("alert")), /too many searches/);
      fails = false;
      await page.getByRole("button", { name: "Try again" }).click();
      await hits(page).first().waitFor();
    },
  },

  "a partial result says that a part failed": async ({ page }) => {
    await page.route("**/api/search", async (route) => {
      const answer = await route.fetch();
      const result = { ...(await answer.json()), degraded: true, diagnostics: [{ level: "warning", source: "rag.retrieve.semantic", message: "the module timed out", category: "timeout" }] };
      return route.fulfill({ response: answer, json: result });
    });
    await visit(page, search("trip", { mode: "keyword" }));
    const notes = await text(page.locator(".notes"));
    assert.match(notes, /a part of the search failed/);
    assert.match(notes, /the module timed out/);
  },
};
