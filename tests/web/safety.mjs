// Nothing that an entry, an answer or an address has is run, and nothing is
// asked of another origin (which the harness checks in every test).

import { ATTACKS } from "./attacks.mjs";
import { address, assert, hits, search, text, until, visit } from "./harness.mjs";

const wasHacked = (page) => page.evaluate(() => window.hacked !== undefined);

/** Nothing of a hostile text became a part of the page. */
export async function isHarmless(page, what) {
  assert.equal(await wasHacked(page), false, what);
  const added = await page.evaluate(() => [...document.querySelectorAll("main script, main iframe, main object, main style, main base, main meta, main img[src='x'], main a[href^='javascript:'], main a[href^='data:'], [onerror], [onload], [onfocus], [onmouseover], [ontoggle]")].map((node) => node.outerHTML));
  assert.deepEqual(added, [], what);
}

export const safetyTests = {
  "hostile entries are shown as text in every list": async ({ page }) => {
    await visit(page, search("hostilewords", { mode: "keyword", n: "100" }));
    assert.equal(await hits(page).count(), ATTACKS.length);
    for (const toggle of await page.locator(".provenance").all()) await toggle.hover();
    await isHarmless(page, "the results");
    assert.match(await text(page.locator(".hits")), /<script>window\.hacked=1<\/script>/);
    for (const mode of ["semantic", "rag", "agent"]) {
      await visit(page, search("hostilewords pump exchanged", { mode, n: "50" }));
      await isHarmless(page, mode);
    }
    await visit(page, "/browse?day=2025-01-06");
    await isHarmless(page, "browse");
  },

  "hostile entries are shown as text on their pages": async ({ page }) => {
    for (const [at, attack] of ATTACKS.entries()) {
      await visit(page, `/entry/XSS-${at}?q=hostilewords+pump`);
      assert.match(await text(page.locator(".entry h1")), new RegExp(`^Hostile ${at}`));
      await page.getByRole("button", { name: "Raw record" }).click();
      await isHarmless(page, attack);
    }
  },

  "hostile questions and addresses are shown as text": async ({ page }) => {
    for (const attack of ATTACKS) {
      await visit(page, `/?${new URLSearchParams({ q: attack, mode: "keyword", "f.author": attack.replaceAll("|", ""), ignore: attack, from: "2025-01-01" })}`);
      await isHarmless(page, attack);
      await visit(page, `/entry/SKY-0170?${new URLSearchParams({ q: attack, s: attack })}`);
      await isHarmless(page, attack);
    }
  },

  "hostile answers of the server are shown as text": async ({ page }) => {
    const answer = ATTACKS.map((attack) => `- ${attack} [#${attack.replace(/[\]\s]/g, "")}]`).join("\n");
    await page.route("**/api/search/stream", async (route) => {
      const result = await page.request.post(`${address}/api/search`, { data: { query: "pump", mode: "keyword", facets: ["tag"] } });
      const done = { ...(await result.json()), answer, answer_status: ATTACKS[0], reasoning: ATTACKS[1], diagnostics: ATTACKS.map((message) => ({ level: ATTACKS[2], source: message, message })) };
      const events = [["answer", { text: answer }], ["stage", { stage: ATTACKS[3] }], ["done", done]].map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      return route.fulfill({ contentType: "text/event-stream", body: events.join("") });
    });
    await visit(page, search("pump", { mode: "rag" }));
    await page.locator(".cite").first().waitFor();
    await isHarmless(page, "search");
    await page.goto(`${address}/agent?q=pump`);
    await until(async () => (await page.locator(".turn .cite").count()) > 0, "the agent answers");
    await isHarmless(page, "agent");
  },

  "the policy of the page forbids inline scripts": {
    expects: ["Content Security Policy", "404"],
    run: async ({ page }) => {
      await visit(page, "/");
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=window.hacked=1>");
      });
      await until(() => page.evaluate(() => [...document.images].every((image) => image.complete)), "the picture failed");
      assert.equal(await wasHacked(page), false);
    },
  },
};

/** Every text of a reply as an attack. Times and the types of events stay. */
function hostile(value, attack) {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\dT/.test(value) ? value : attack();
  if (Array.isArray(value)) return value.map((one) => hostile(one, attack));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, attack)]));
  return value;
}

/** Replies whose texts are attacks, one after the other. */
async function attackedBy(page, routes) {
  let at = 0;
  const attack = () => ATTACKS[at++ % ATTACKS.length];
  for (const url of routes) {
    await page.route(url, async (route) => {
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: hostile(await answer.json(), attack) });
    });
  }
}

async function openEverything(page) {
  for (const toggle of await page.locator(".provenance:visible, .how summary:visible").all()) await toggle.click();
  for (const node of await page.locator(".hit:visible, .suggestion, .domain-button, .cite:visible").all()) await node.hover({ timeout: 1000 }).catch(() => {});
}

export const domainSafetyTests = {
  "hostile entries are shown as text on cards": async ({ page }) => {
    for (const query of ["hostilewords pump exchanged", "hostilewords"]) {
      await visit(page, search(query, { n: "50" }));
      assert.ok((await page.locator(".card").count()) > 0);
      await openEverything(page);
      await isHarmless(page, query);
    }
    assert.match(await text(page.locator(".cards")), /<[a-z]+/);
  },

  "hostile cards, plans, reasons, domains and answers are shown as text": async ({ page }) => {
    await attackedBy(page, ["**/v1/search/query"]);
    for (const [at, attack] of ATTACKS.entries()) {
      await visit(page, search(`what went wrong with CAV1? ${at}`, { scope: attack.replaceAll(",", " ") }));
      await page.locator(".card").first().waitFor();
      if (at % 10 === 0) await openEverything(page);
      await isHarmless(page, attack);
    }
  },

  "hostile questions are shown as text in the box, in chips and in the history": async ({ page }) => {
    for (const attack of ATTACKS) {
      await visit(page, `/?${new URLSearchParams({ q: `hostilewords ${attack}`, ignore: attack, "f.author": attack.replaceAll("|", ""), scope: attack })}`);
      await isHarmless(page, attack);
    }
    await visit(page, search(`hostilewords ${ATTACKS[0]}`));
    await page.getByRole("button", { name: "Your earlier questions" }).click();
    await page.locator(".history li").first().waitFor();
    await isHarmless(page, "the history");
  },

  "hostile suggestions, labels and earlier questions are shown as text": async ({ page }) => {
    await attackedBy(page, ["**/v1/search/history"]);
    await page.route("**/v1/search/suggestions/evaluate", (route) => route.fulfill({ json: { suggestions: ATTACKS.map((query, at) => ({ query, viabilityState: at % 2 ? "grounded" : "needs_clarification" })) } }));
    await page.route("**/api/site", async (route) => {
      const answer = await route.fetch();
      const site = await answer.json();
      site.unified.domains = site.unified.domains.map((one, at) => ({ ...one, label: ATTACKS[at] }));
      return route.fulfill({ response: answer, json: site });
    });
    await visit(page, search("what went wrong with CAV1?"));
    await page.locator(".card").first().waitFor();
    await isHarmless(page, "labels");
    await page.getByRole("button", { name: "Your earlier questions" }).click();
    await page.locator(".history li").first().waitFor();
    await isHarmless(page, "the history");
    await visit(page, "/");
    await page.locator("#q").pressSequentially("circulator");
    await page.locator(".suggestion").first().waitFor();
    await openEverything(page);
    await isHarmless(page, "suggestions");
  },

  "hostile words of a model are shown as text": async ({ page }) => {
    const words = ATTACKS.map((attack) => `- ${attack} [#${attack.replace(/[\]\s]/g, "")}]`).join("\n");
    const synthesis = { by: "model", text: words, reason: ATTACKS[0], groundingScore: 1, sentences: 1, supported: 1, actions: [], citations: ATTACKS };
    const events = [["deterministic", { text: words }], ...ATTACKS.map((text) => ["token", { text }]), ["done", { result: {}, synthesis }]];
    await page.route("**/v1/search/synthesize", (route) => route.fulfill({ contentType: "text/event-stream", body: events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("") }));
    await visit(page, search("what went wrong with CAV1?"));
    await page.getByRole("button", { name: "Phrase with a model" }).click();
    await until(async () => /phrased by a model/.test(await text(page.locator(".answer header"))), "the answer of the model");
    await isHarmless(page, "the words of a model");
  },
};
