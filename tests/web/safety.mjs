// Nothing that an entry, an answer or an address has is run, and nothing is
// asked of another origin (which the harness checks in every test).

import { ATTACKS } from "./attacks.mjs";
import { address, assert, hits, search, text, until, visit } from "./harness.mjs";

const wasHacked = (page) => page.evaluate(() => window.hacked !== undefined);

async function isHarmless(page, what) {
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
