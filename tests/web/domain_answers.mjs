// Answers over several domains: their status, questions to go on with, the words
// of a model, suggestions under the search box, and earlier questions.

import { assert, search, text, until, visit } from "./harness.mjs";

const TROUBLE = "what went wrong with CAV1?";
const shownQuery = (page) => new URL(page.url()).searchParams.get("q");
const typeInto = (page, words) => page.locator("#q").pressSequentially(words);

export const domainAnswerTests = {
  "a grounded answer cites its cards and offers the next questions": async ({ page }) => {
    await visit(page, search(TROUBLE));
    assert.match(await text(page.locator(".answer .badge")), /^Grounded/);
    const cite = page.locator(".cite").first();
    const id = await cite.getAttribute("data-cites");
    await cite.click();
    await page.locator(`[data-hit="${id}"] mark.quoted`).waitFor();
    const next = page.getByRole("navigation", { name: "Ask next" }).getByRole("link").first();
    assert.match(await text(next), /^CAV1: /);
    await next.click();
    await until(() => shownQuery(page) === "what fixed CAV1?", "the next question");
    await page.goBack();
    await until(() => shownQuery(page) === TROUBLE, "back");
  },

  "a question that could mean several things is asked back": async ({ page }) => {
    await visit(page, search("qqqq"));
    assert.match(await text(page.locator(".answer .badge")), /^Unclear/);
    const asked = page.getByRole("navigation", { name: "Which is meant?" }).getByRole("link");
    assert.ok((await asked.count()) >= 1 && (await asked.count()) <= 2);
    const told = page.waitForRequest((request) => request.url().endsWith("/v1/search/analytics"));
    await asked.first().click();
    assert.equal(JSON.parse((await told).postData()).events[0].type, "rescue_action");
    await until(() => /^qqqq \S+/.test(shownQuery(page)), "the question with the device");
  },

  "an answer that is none says so in word and shape": async ({ page }) => {
    await visit(page, search("what is the base pressure of the storage ring?"));
    const badge = page.locator(".answer .badge.insufficient");
    assert.match(await text(badge), /Insufficient/);
    assert.ok(await badge.locator(".shape").isVisible());
  },

  "a model phrases the answer only when it is asked to, and the quotes stay": async ({ page }) => {
    const asked = [];
    page.on("request", (request) => request.url().endsWith("/v1/search/synthesize") && asked.push(request));
    await visit(page, search(TROUBLE));
    assert.equal(asked.length, 0);
    const quotes = await text(page.locator(".answer-text"));
    await page.getByRole("button", { name: "Phrase with a model" }).click();
    await until(async () => /phrased by a model/.test(await text(page.locator(".answer header"))), "the answer of the model");
    assert.match(await text(page.locator(".answer-text")), /worn flow switch/);
    assert.match(await text(page.locator(".figures-line")), /1 of 1 sentence supported by citations · \d+ answers of a model left today/);
    await page.getByRole("button", { name: "Show the quotes" }).click();
    assert.equal(await text(page.locator(".answer-text")), quotes);
    assert.equal(asked.length, 1);
  },

  "without answers of a model left the quotes stand, with the reason": async ({ page }) => {
    await page.route("**/v1/search/synthesize", (route) => {
      const events = [["deterministic", { text: "Quoted. [#SKY-0088]" }], ["done", { result: {}, synthesis: { by: "entries", text: "Quoted. [#SKY-0088]", reason: "the tenant has no answers of a model left today" } }]];
      return route.fulfill({ contentType: "text/event-stream", body: events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("") });
    });
    await visit(page, search(TROUBLE));
    await page.getByRole("button", { name: "Phrase with a model" }).click();
    await until(async () => /no answers of a model left/.test(await text(page.locator(".figures-line"))), "the reason");
    assert.match(await text(page.locator(".answer header")), /quoted from entries/);
  },

  "what is typed is searched by words, with questions that would be answered": async ({ page, seen }) => {
    await visit(page, "/");
    await typeInto(page, "circulator");
    const row = page.locator(".suggestions");
    await row.getByRole("link", { name: "what went wrong with circulator?" }).waitFor();
    assert.ok(seen.searches.some((one) => one.query === "circulator" && one.mode === "keyword"), "the words are searched first");
    const offered = await row.getByRole("link").allInnerTexts();
    assert.ok(!offered.includes("circulator"), "not what stands in the box");
    await row.getByRole("link", { name: "what went wrong with circulator?" }).click();
    await until(() => shownQuery(page) === "what went wrong with circulator?" && !page.url().includes("quick"), "the question");
    await page.locator(".card").first().waitFor();
  },

  "suggestions show their state, and none that leads nowhere": async ({ page }) => {
    const states = ["no_match", "needs_clarification", "grounded"];
    await page.route("**/v1/search/suggestions/evaluate", (route) => {
      const { queries } = JSON.parse(route.request().postData());
      return route.fulfill({ json: { suggestions: queries.map((query, at) => ({ query, viabilityState: states[at], viable: at === 2, scopeReady: true })) } });
    });
    await visit(page, "/");
    await typeInto(page, "septum coil");
    await until(async () => (await page.locator(".suggestion").count()) === 2, "two of three");
    // Those of what was typed before are shown until these are there.
    const shows = async (state, words) => words.test(await text(page.locator(`.suggestion.${state}`).first()));
    await until(() => shows("grounded", /procedure for septum coil/), "the grounded one");
    await until(() => shows("clarify", /latest septum coil\s*asks back/), "the one that asks back");
  },

  "a domain without entries is said where suggestions would be": async ({ page }) => {
    await visit(page, "/?scope=rounds");
    await typeInto(page, "circulator");
    await until(async () => /have no entries yet/.test(await text(page.locator(".suggestions"))), "the state of the scope");
    await page.locator(".suggestions").getByRole("link", { name: "Search all domains alike" }).click();
    await until(() => !page.url().includes("scope="), "all domains");
  },

  "earlier questions are listed, asked again and forgotten": async ({ page }) => {
    await visit(page, search(TROUBLE));
    await visit(page, "/");
    const open = page.getByRole("button", { name: "Your earlier questions" });
    await open.click();
    const row = page.locator(".history li", { hasText: TROUBLE }).first();
    await row.waitFor();
    assert.match(await text(row), /Grounded[\s\S]*\d+ cards[\s\S]*(ago|now)/);
    await row.getByRole("link").click();
    await until(() => shownQuery(page) === TROUBLE, "the question again");
    assert.ok(await page.locator(".history").isHidden());
    // A search that is under way would be listed after the rest is forgotten.
    await page.locator(".card").first().waitFor();
    await page.waitForLoadState("networkidle");
    await open.click();
    await page.getByRole("button", { name: "Clear" }).click();
    await until(async () => /No questions yet/.test(await text(page.locator(".history"))), "they are forgotten");
    assert.deepEqual((await (await page.request.get(`${new URL(page.url()).origin}/v1/search/history`)).json()).entries, []);
  },
};
