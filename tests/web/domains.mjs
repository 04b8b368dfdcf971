// Search over several domains: cards, the row of domains, reasons, what lies
// outside of the scope, addresses. One of the domains never answers, and one
// has no entries.

import { address, assert, hits, search, text, until, visit } from "./harness.mjs";

const TROUBLE = "what went wrong with CAV1?";
const domainButton = (page, name) => page.locator(`.domain-button[data-domain="${name}"]`);
const shownParams = (page) => new URL(page.url()).searchParams;

export const domainTests = {
  "with several domains a question is asked over all of them": async ({ page, seen }) => {
    await visit(page, search(TROUBLE));
    assert.equal(await page.locator("#mode").inputValue(), "unified");
    assert.equal(seen.unified.length, 1);
    assert.equal(seen.unified[0].q, TROUBLE);
    assert.match(await text(page.locator("#count")), /^\d+ cards · \d+ entries · /);
    await page.selectOption("#mode", "keyword");
    await until(async () => (await page.locator(".scope-row").isHidden()) && (await page.locator(".card").first().isHidden()), "another mode has a list of entries");
    assert.ok((await page.locator(".found > .hits:visible .hit").count()) > 0);
  },

  "hits are grouped into cards with the times, domains and searches of their entity": async ({ page }) => {
    await visit(page, search(TROUBLE));
    const card = page.locator('.card[data-entity="device:cav1"]');
    assert.equal(await text(card.locator("h3")), "CAV1");
    assert.match(await text(card.locator(".card-head")), /device[\s\S]*\d+ entries · \d+ \w+ 2025 – \d+ \w+ 2025/);
    assert.match(await text(card.locator(".meta").first()), /^Logbook/);
    assert.ok((await card.locator("mark").count()) > 0, "what matched is marked");
    const before = await card.locator(".hit").count();
    const count = Number((await text(card.locator(".card-head"))).match(/(\d+) entries/)[1]);
    await card.getByRole("button", { name: /more about CAV1/ }).click();
    await until(async () => (await card.locator(".hit").count()) === count, `all ${count} entries after ${before}`);
    await card.getByRole("link", { name: "Newest about CAV1" }).click();
    await until(() => shownParams(page).get("q") === "latest CAV1", "the search of the card");
  },

  "an alias of a device is named on its card": async ({ page }) => {
    await visit(page, search("what went wrong with the second cavity?"));
    const card = page.locator('.card[data-entity="device:cav2"]').first();
    assert.match(await text(card.locator(".aliases")), /second cavity/);
  },

  "each domain says whether it answered, and none is hidden": async ({ page }) => {
    await visit(page, search("why did CAV1 trip in March?"));
    const said = Object.fromEntries(await page.locator(".domain-button").evaluateAll((all) => all.map((one) => [one.dataset.domain, one.querySelector(".said").textContent])));
    assert.deepEqual(Object.keys(said), ["logbook", "manuals", "partner", "parts", "rounds"]);
    assert.match(said.logbook, /^\d+$/);
    assert.equal(said.partner, "timed out");
    assert.equal(said.parts, "nothing fits");
    assert.equal(said.rounds, "no entries");
    assert.match(await text(page.locator(".notes")), /Partner site timed out\. The other domains are complete\./);
    assert.ok(await domainButton(page, "rounds").isVisible());
  },

  "a failed domain is told from one that timed out, and a partial one from both": async ({ page }) => {
    await page.route("**/v1/search/query", async (route) => {
      const answer = await route.fetch();
      const result = await answer.json();
      const said = { partner: { status: "failed", failure: "unavailable" }, manuals: { status: "partial", hits: 2 } };
      result.coverage.domains = result.coverage.domains.map((one) => ({ ...one, ...said[one.domain] }));
      return route.fulfill({ response: answer, json: result });
    });
    await visit(page, search(TROUBLE));
    assert.match(await text(domainButton(page, "partner")), /failed/);
    assert.match(await text(domainButton(page, "manuals")), /2, partial/);
    assert.match(await text(page.locator(".notes")), /Partner site failed/);
  },

  "a domain is put first by a click and the address has it": async ({ page, seen }) => {
    await visit(page, search("circulator"));
    const best = await page.locator(".hit .domain").first().innerText();
    assert.equal(best, "Logbook");
    await domainButton(page, "parts").click();
    await until(() => shownParams(page).get("scope") === "parts", "the address has the domain");
    await until(async () => (await text(page.locator(".hit .domain").first())) === "Spare parts", "its entry is first");
    assert.deepEqual(seen.unified.at(-1).scope, ["parts"]);
    assert.equal(await domainButton(page, "parts").getAttribute("aria-pressed"), "true");
    assert.ok((await page.locator(".hit .domain", { hasText: "Logbook" }).count()) > 0, "the others are not hidden");
    await page.reload();
    await page.locator(".card").first().waitFor();
    assert.equal(await domainButton(page, "parts").getAttribute("aria-pressed"), "true");
    await domainButton(page, "parts").click();
    await until(() => !shownParams(page).has("scope"), "a second click takes it back");
    await page.goBack();
    await until(async () => (await domainButton(page, "parts").getAttribute("aria-pressed")) === "true", "back has it again");
  },

  "what lies outside of the chosen domains is offered with the reason": async ({ page }) => {
    await visit(page, search("circulator", { scope: "rounds" }));
    const outside = page.locator(".overflow");
    assert.match(await text(outside), /Nothing was found in the scope/);
    const offered = outside.locator("li");
    assert.ok((await offered.count()) >= 1 && (await offered.count()) <= 3);
    assert.match(await text(offered.first()), /Logbook|Manuals|Spare parts/);
    await outside.getByRole("link", { name: "Search all domains alike" }).click();
    await until(async () => !shownParams(page).has("scope") && (await page.locator(".overflow").count()) === 0, "all domains");
  },

  "each hit says why it is here": async ({ page }) => {
    await visit(page, search(TROUBLE, { scope: "logbook" }));
    await hits(page).first().locator(".provenance").click();
    const why = await text(hits(page).first().locator(".why"));
    assert.match(why, /fused score\s+keyword #\d+/);
    assert.match(why, /\+20 %\s+intent\s+Logbook answers troubleshoot/);
    assert.match(why, /\+35 %\s+chosen domain\s+the scope is logbook/);
    assert.match(why, /score\s+fused score × weight/);
    const last = hits(page).last();
    await last.locator(".provenance").click();
    assert.match(await text(last.locator(".why")), /it fits the question/);
  },

  "filters are strict in every domain and what was read is undone by a click": async ({ page, seen }) => {
    await visit(page, search(TROUBLE));
    const night = page.locator('[data-field="shift"] input[data-value="Night"]');
    await night.check();
    await until(() => seen.unified.at(-1).filters.shift === "Night", "the filter is sent");
    await until(async () => (await page.locator(".card .hit .meta", { hasText: /\bday\b/ }).count()) === 0, "only entries of the night");
    await page.locator(".chip", { hasText: "asks for a cause" }).getByRole("button", { name: /Remove/ }).click();
    await until(() => seen.unified.at(-1).ignoredWords.length === 1, "the words are only words");
    await page.locator(".chip.ignored").waitFor();
  },

  "an entry of a card leads back to the same cards": async ({ page, seen }) => {
    await visit(page, search(TROUBLE));
    const order = await page.locator(".card .hit-title").allTextContents();
    const told = page.waitForRequest((request) => request.url().endsWith("/v1/search/analytics"));
    await page.locator(".card .hit-title").nth(1).click();
    const [event] = JSON.parse((await told).postData()).events;
    assert.equal(event.type, "click");
    await page.locator(".entry h1").waitFor();
    assert.equal(await text(page.locator(".entry h1")), order[1]);
    await page.keyboard.press("]");
    await until(async () => (await text(page.locator(".entry h1"))) === order[2], "the next entry of the cards");
    await page.goBack();
    const shown = async () => (await page.locator(".card .hit-title").allTextContents()).join("\n");
    await until(async () => (await shown()) === order.join("\n"), "the same cards");
    assert.equal(seen.unified.at(-1).ambient, undefined, "what was opened does not change the result it is from");
  },

  "a question that points back is read with the one before, until that is forgotten": async ({ page, seen }) => {
    await visit(page, search(TROUBLE));
    await page.locator(".card .hit-title").first().click();
    await page.locator(".entry h1").waitFor();
    await visit(page, search("why did it trip?"));
    const chip = page.locator(".chip.context", { hasText: "CAV1" });
    await chip.waitFor();
    assert.equal(seen.unified.at(-1).ambient.lastAction.entityKey, "CAV1");
    const before = seen.unified.at(-1).sessionId;
    await chip.getByRole("button").click();
    await until(async () => (await page.locator(".chip.context").count()) === 0, "the context is gone");
    assert.notEqual(seen.unified.at(-1).sessionId, before);
    assert.equal(seen.unified.at(-1).ambient, undefined);
  },

  "an entry that another source keeps is shown as the search gave it": {
    expects: ["404"],
    run: async ({ page }) => {
      await page.route("**/v1/search/query", async (route) => {
        const answer = await route.fetch();
        return route.fulfill({ response: answer, body: (await answer.text()).replaceAll("SKY-0088", "FAR-1") });
      });
      await visit(page, search(TROUBLE));
      await page.locator('[data-hit="FAR-1"] .hit-title').click();
      await page.locator(".note-box", { hasText: "kept by another source" }).waitFor();
      assert.match(await text(page.locator(".entry-text")), /archive/);
      await visit(page, "/entry/FAR-2");
      assert.match(await text(page.locator("main")), /no such entry/);
    },
  },

  "a failed search over every domain says so in place": {
    expects: ["503"],
    run: async ({ page }) => {
      let fails = true;
      await page.route("**/v1/search/query", (route) => fails
        ? route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ status: 503, detail: "too many searches", code: "overloaded" }) })
        : route.continue());
      await visit(page, search(TROUBLE));
      assert.match(await text(page.getByRole("alert")), /too many searches/);
      fails = false;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(".card").first().waitFor();
      assert.ok(page.url().startsWith(address));
    },
  },
};
