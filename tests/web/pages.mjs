// Entry, browse, new entry, status, plugins, agent, sign-in.

import { QUESTION, address, assert, hits, search, text, until, visit } from "./harness.mjs";

const REFUSED = { status: 401, contentType: "application/problem+json", body: JSON.stringify({ status: 401, detail: "log in", code: "login_required" }) };

export const pageTests = {
  "an entry has its text with matches, its neighbors and related entries": async ({ page }) => {
    await visit(page, search("wiggler quench", { mode: "keyword" }));
    const titles = await page.locator(".hit-title").allInnerTexts();
    await page.locator(".hit-title").nth(1).click();
    await page.locator(".entry h1").waitFor();
    assert.equal(await text(page.locator(".entry h1")), titles[1]);
    assert.ok((await page.locator(".entry-text mark").count()) > 0);
    await page.locator(".related li:visible").first().waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("]");
    await until(async () => (await text(page.locator(".entry h1"))) === titles[2], "the next entry");
    await page.keyboard.press("[");
    await until(async () => (await text(page.locator(".entry h1"))) === titles[1], "the previous entry");
    await page.keyboard.press("Escape");
    await hits(page).first().waitFor();
  },

  "line ends of Windows are line ends": async ({ page }) => {
    const heights = [];
    for (const end of ["\n", "\r\n"]) {
      await page.route("**/api/entries/SKY-0170", async (route) => {
        const answer = await route.fetch();
        return route.fulfill({ response: answer, json: { ...(await answer.json()), raw_text: ["One", "Two.", "", "Three."].join(end) } });
      });
      await visit(page, "/entry/SKY-0170");
      const shown = page.locator(".entry-text");
      assert.deepEqual((await text(shown)).split(end), ["One", "Two.", "", "Three."]);
      heights.push((await shown.boundingBox()).height);
    }
    assert.equal(heights[0], heights[1]);
  },

  "entries that name each other are linked": async ({ page }) => {
    await visit(page, "/entry/SKY-0170");
    const thread = page.locator(".related .thread");
    await thread.waitFor();
    assert.equal(await text(thread.locator("[aria-current]")), await text(page.locator(".entry h1")));
    const referredTo = thread.locator("li", { hasText: "SKY-0169" });
    assert.match(await text(referredTo), /Referred to/);
    await referredTo.getByRole("link").click();
    await until(() => page.url().endsWith("/entry/SKY-0169"), "the linked entry");
    await thread.locator("li", { hasText: "SKY-0170" }).filter({ hasText: "Refers to this entry" }).waitFor();
    const similar = page.locator(".related section", { hasText: "Similar" });
    await similar.getByRole("link").first().waitFor();
  },

  "an entry can be copied as a link and shown as a record": async ({ page }) => {
    await visit(page, "/entry/SKY-0170");
    await page.getByRole("button", { name: "Copy citation" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /Bertil Raske.*\[#SKY-0170\]/);
    await page.getByRole("button", { name: "Copy link" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${address}/entry/SKY-0170`);
    await page.getByRole("button", { name: "Raw record" }).click();
    assert.equal(JSON.parse(await text(page.locator(".raw"))).entry_id, "SKY-0170");
  },

  "an entry that is not there is said to be missing": {
    expects: ["404"],
    run: async ({ page }) => {
      await visit(page, "/entry/none");
      assert.match(await text(page.locator("main")), /no such entry/);
    },
  },

  "days are browsed by month, shift and keys": async ({ page }) => {
    await visit(page, "/browse?day=2025-06-11");
    assert.match(await text(page.locator(".day-title")), /11 Jun 2025/);
    assert.match(await text(page.locator(".lane").first()), /Night[\s\S]*Wiggler quench/);
    assert.equal(await page.locator(".weekday").count(), 7);
    const columns = await page.locator(".lanes time").evaluateAll((times) => times.map((time) => Math.round(time.getBoundingClientRect().x)));
    assert.deepEqual([...new Set(columns)].length, 1, `times stand below each other: ${columns}`);
    await page.locator(".heat", { hasText: /^13$/ }).click();
    await until(() => page.url().endsWith("day=2025-06-13"), "the day of the month");
    await page.keyboard.press("[");
    await until(() => page.url().endsWith("day=2025-06-12"), "the day before");
    await page.goBack();
    await until(async () => /13 Jun/.test(await text(page.locator(".day-title"))), "back");
  },

  "days are narrowed down by the values of their month": async ({ page, seen }) => {
    await visit(page, "/browse?day=2025-06-11");
    const whole = await page.locator(".line-title").count();
    const night = page.locator('[data-field="shift"] input[data-value="Night"]');
    await night.check();
    await until(() => new URL(page.url()).searchParams.get("f.shift") === "Night", "the address has the filter");
    await until(async () => (await page.locator(".lane h4").allInnerTexts()).every((shift) => shift === "Night") && (await page.locator(".line-title").count()) > 0, "only entries of the night");
    assert.equal(await page.locator(".chip.strict").count(), 1);
    assert.match(await text(page.locator(".day-title")), /11 Jun 2025/);
    assert.deepEqual(seen.searches.at(-1).filters, { shift: "Night" });
    await page.getByRole("button", { name: "Next day" }).click();
    await until(() => page.url().includes("day=2025-06-12") && page.url().includes("f.shift=Night"), "another day keeps the filter");
    await page.locator(".chip.strict button").click();
    await until(async () => (await page.locator(".chip.strict").count()) === 0, "the filter is gone");
    await page.goBack();
    await page.goBack();
    await until(async () => (await page.locator(".chip.strict").count()) === 1, "back has the filter again");
    await page.goBack();
    await until(async () => (await page.locator(".line-title").count()) === whole, "back to all entries");
  },

  "entries of a day without a shift have no label": async ({ page }) => {
    await page.route("**/api/entries?*", async (route) => {
      const answer = await route.fetch();
      const list = await answer.json();
      for (const entry of list.entries) delete entry.metadata.shift;
      return route.fulfill({ response: answer, json: list });
    });
    await visit(page, "/browse?day=2025-06-11");
    assert.ok((await page.locator(".lane .line-title").count()) > 0);
    assert.equal(await page.locator(".lane h4").count(), 0);
  },

  "a day without entries of a filter leads to the nearest one that has some": async ({ page }) => {
    await visit(page, "/browse?day=2025-06-11&f.author=Bertil+Raske");
    const names = await page.locator(".lane .meta").allInnerTexts();
    assert.ok(names.length > 0 && names.every((name) => name === "Bertil Raske"), String(names));
    await visit(page, "/browse?day=2024-06-11&f.author=Bertil+Raske");
    await page.getByRole("button", { name: "Go to the nearest day with entries" }).click();
    await until(async () => !page.url().includes("day=2024-06-11") && (await page.locator(".lane").count()) > 0, "a day with entries");
    assert.ok(page.url().includes("f.author=Bertil+Raske"));
  },

  "without a question the latest entries are shown": async ({ page }) => {
    await visit(page, "/");
    assert.ok((await page.locator(".line-title").count()) >= 10);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".entry h1").waitFor();
  },

  "an entry is written, and found at once": async ({ page }) => {
    await visit(page, "/new");
    await page.getByRole("button", { name: "Publish entry" }).click();
    assert.match(await text(page.getByRole("alert")), /Title is empty/);
    await page.getByLabel("Title").fill("Turbo pump TP-77 exchanged");
    await page.getByLabel("Text", { exact: true }).fill("The bearing was noisy. Spare fitted.");
    await page.getByLabel("Author").fill("A. Reyes");
    await page.getByLabel("Shift").selectOption("Night");
    await page.getByLabel("Tags").fill("vacuum, pump");
    await page.getByLabel("Files").setInputFiles([{ name: "trend.txt", mimeType: "text/plain", buffer: Buffer.from("1e-9 mbar") }]);
    await page.getByRole("button", { name: "Publish entry" }).click();
    await page.locator(".note-box.good a").click();
    await page.locator(".entry h1").waitFor();
    assert.equal(await text(page.locator(".entry h1")), "Turbo pump TP-77 exchanged");
    assert.match(await text(page.locator(".attachments")), /trend\.txt/);
    await until(async () => {
      await visit(page, search("TP-77", { mode: "keyword" }));
      return (await hits(page).count()) > 0;
    }, "the entry is found");
  },

  "what is typed stays until it is written, also on the way over other pages": async ({ page }) => {
    const title = page.getByLabel("Title");
    const goTo = (name) => page.locator("#pages").getByRole("link", { name }).click();
    await visit(page, "/new");
    await title.fill("Chiller CH-31 noisy");
    await page.getByLabel("Text", { exact: true }).fill("Bearing to be exchanged.\n");
    await page.getByLabel("Shift").selectOption("Night");
    await goTo("Status");
    await page.locator(".view-status h1").waitFor();
    await goTo("New entry");
    assert.equal(await title.inputValue(), "Chiller CH-31 noisy");
    assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "Bearing to be exchanged.\n");
    await page.reload();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.getByLabel("Shift").inputValue(), "Night");
    await page.getByRole("button", { name: "Publish entry" }).click();
    await page.locator(".note-box.good a").waitFor();
    await goTo("Status");
    await page.locator(".view-status h1").waitFor();
    await goTo("New entry");
    assert.equal(await title.inputValue(), "");
  },

  "a draft is kept at an address and finished there": async ({ page }) => {
    await visit(page, "/new");
    await page.getByLabel("Title").fill("Handover");
    await page.getByLabel("Text", { exact: true }).fill("All quiet.");
    await page.getByRole("button", { name: "Keep as draft" }).click();
    const draft = await page.locator(".note-box a").getAttribute("href");
    await visit(page, "/");
    await visit(page, draft);
    assert.equal(await page.getByLabel("Title").inputValue(), "Handover");
    assert.match(await text(page.locator(".note-box")), /draft/);
  },

  "a draft is published once, and with another text when that is asked for": {
    expects: ["422"],
    async run({ page }) {
      const publish = page.getByRole("button", { name: "Publish entry" });
      const published = page.locator(".note-box.good a");
      await visit(page, "/new");
      await page.getByLabel("Title").fill("Handover of the night");
      await page.getByLabel("Text", { exact: true }).fill("All quiet.");
      await page.getByRole("button", { name: "Keep as draft" }).click();
      const draft = await page.locator(".note-box a").getAttribute("href");
      await publish.click();
      const id = await text(published);
      await visit(page, draft);
      await publish.click();
      assert.equal(await text(published), id);
      await visit(page, draft);
      await page.getByLabel("Text", { exact: true }).fill("A pump stopped at four.");
      await publish.click();
      assert.match(await text(page.locator(".outcome .problem")), /published before/);
      await publish.click();
      assert.notEqual(await text(published), id);
    },
  },

  "the status shows parts, ingestion, progress, plugins and times": async ({ page }) => {
    await visit(page, search("trip", { mode: "keyword" }));
    await visit(page, "/status");
    const panels = await text(page.locator(".panels"));
    for (const part of ["Text index", "up to date", "Ingestion", "complete", "text embedding", "semantic", "median", "In the background", "next when an entry is written"]) assert.ok(panels.includes(part), `${part}: ${panels}`);
    assert.match(await text(page.locator(".summary")), /Everything works/);
    assert.ok((await page.locator(".spark rect").count()) >= 2);
  },

  "a plugin that is not well is shown with its reason": async ({ page }) => {
    await page.route("**/api/plugins", async (route) => {
      const answer = await route.fetch();
      const plugins = (await answer.json()).map((one) => (one.name === "rag" ? { ...one, state: "degraded", reason: "the model server is away" } : one));
      return route.fulfill({ response: answer, json: plugins });
    });
    await visit(page, "/status");
    assert.match(await text(page.locator(".summary")), /Needs attention[\s\S]*rag: the model server is away/);
    await visit(page, "/plugins");
    const rag = page.locator(".plugin", { has: page.locator("code", { hasText: /^rag$/ }) });
    assert.match(await text(rag), /degraded[\s\S]*the model server is away/);
    assert.match(await text(page.locator(".plugin").first()), /started/);
  },

  "a kind of plugins leads to its plugins": async ({ page }) => {
    await visit(page, "/plugins");
    const adapters = page.getByRole("button", { name: /^Adapters/ });
    const count = Number((await text(adapters)).match(/\d+/)[0]);
    await adapters.click();
    const section = page.locator("section", { has: page.getByRole("heading", { name: "Adapters" }) });
    assert.equal(await section.locator(".plugin").count(), count);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Adapters");
    assert.ok((await section.boundingBox()).y < 720);
  },

  "plugins are shown with their parameters": async ({ page }) => {
    await visit(page, "/plugins");
    const rag = page.locator(".plugin", { has: page.locator("code", { hasText: /^rag$/ }) });
    await rag.locator("summary").click();
    assert.match(await text(rag.locator("table")), /similarity_threshold/);
    await rag.getByRole("link").click();
    await until(() => page.url().endsWith("mode=rag"), "search with it");
  },

  "the agent shows its calls and answers follow-up questions": async ({ page, seen }) => {
    await visit(page, "/agent");
    await page.getByLabel("Question").fill("why did the wiggler quench?");
    await page.keyboard.press("Enter");
    await page.locator(".turn .badge").waitFor();
    const calls = page.locator(".turn summary");
    assert.match(await text(calls), /2 calls/);
    await calls.click();
    assert.match(await text(page.locator(".trace")), /keyword_search/);
    assert.ok((await page.locator(".sources li").count()) > 0);
    await page.getByLabel("Question").fill("what fixed it?");
    await page.keyboard.press("Enter");
    await page.locator(".turn").nth(1).locator(".badge").waitFor();
    const top = await page.locator(".turn").nth(1).evaluate((node) => node.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `the new question is ${top} px below the top of the window`);
    assert.equal(seen.searches.at(-1).history.length, 2);
    assert.equal(seen.searches.at(-1).history[0].content, "why did the wiggler quench?");
    assert.match(await text(page.locator(".kept")), /2 earlier questions/);
    assert.match(await text(page.locator(".turn").nth(1).locator(".notes")), /treated as a follow-up/);
    await page.getByRole("button", { name: "New conversation" }).click();
    assert.equal(await page.locator(".turn").count(), 0);
  },

  "the agent invites before the first question, and says that it has no model": async ({ page }) => {
    await visit(page, "/agent");
    const invitation = page.locator(".invitation");
    assert.match(await text(page.locator(".agent .lead")), /cites the entries/);
    await invitation.getByRole("button").first().waitFor();
    assert.match(await text(invitation.locator(".note-box")), /No chat model is configured.*reasoning\.provider/);
    const example = invitation.getByRole("button").first();
    const question = await text(example);
    await example.click();
    await page.locator(".turn .badge").waitFor();
    const asked = await text(page.locator(".turn .question"));
    assert.equal(asked.replace(/\s+/g, " "), `You: ${question}`);
    assert.match(await page.locator(".turn .badge").getAttribute("class"), /grounded|partial/);
    assert.ok(await invitation.isHidden());
    await page.getByRole("button", { name: "New conversation" }).click();
    assert.ok(await invitation.isVisible());
  },

  "the agent with a model needs no word of it": async ({ page }) => {
    await page.route("**/api/site", async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...(await answer.json()), chat_modes: ["agent", "rag"] } });
    });
    await visit(page, "/agent");
    await page.locator(".invitation button").first().waitFor();
    assert.ok(await page.locator(".invitation .note-box").isHidden());
  },

  "the agent can be stopped": async ({ page }) => {
    let hung;
    const isAsked = new Promise((done) => { hung = done; });
    await page.route("**/api/search/stream", () => hung());
    await visit(page, "/agent");
    await page.getByLabel("Question").fill(QUESTION);
    await page.keyboard.press("Enter");
    await isAsked;
    await page.getByRole("button", { name: "Stop" }).click();
    await until(async () => /Stopped/.test(await text(page.locator(".turn"))), "it is stopped");
  },

  "where a key is needed the page asks for it and keeps it in the tab": {
    expects: ["401"],
    run: async ({ page }) => {
      await page.route("**/api/**", (route) => {
        const { authorization, ...headers } = route.request().headers();
        // The service itself needs no key and refuses unknown ones.
        if (authorization === "Bearer gnt_right") return route.continue({ headers });
        return route.fulfill(REFUSED);
      });
      await visit(page, search("trip", { mode: "keyword" }));
      await page.getByLabel("API key").fill("gnt_wrong");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      await page.getByLabel("API key").fill("gnt_right");
      await page.keyboard.press("Enter");
      await hits(page).first().waitFor();
      assert.equal(await page.evaluate(() => localStorage.getItem("gannet-key")), null);
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    },
  },

  "a late refusal of a wrong key does not take the right one away": {
    expects: ["401"],
    run: async ({ page }) => {
      const late = [];
      await page.route("**/api/**", (route) => {
        const { authorization, ...headers } = route.request().headers();
        if (authorization === "Bearer gnt_right") return route.continue({ headers });
        if (authorization && new URL(route.request().url()).pathname === "/api/site") return late.push(route);
        return route.fulfill(REFUSED);
      });
      await visit(page, search("trip", { mode: "keyword" }));
      await page.getByLabel("API key").fill("gnt_wrong");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      await page.getByLabel("API key").fill("gnt_right");
      await page.keyboard.press("Enter");
      await hits(page).first().waitFor();
      assert.ok(late.length);
      for (const route of late) await route.fulfill(REFUSED);
      await page.getByRole("link", { name: "Status" }).click();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
      assert.equal(await page.evaluate(() => sessionStorage.getItem("gannet-key")), "gnt_right");
    },
  },
};
