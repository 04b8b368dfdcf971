// The pictures of the documentation: `docs/images/draw` makes them.

import { showComponents } from "./components.mjs";
import { QUESTION, address, openPage, search, visit } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 } };
const PICTURES = [
  ["web-search", search(QUESTION), {}],
  ["web-search-dark", search("RF trip", { mode: "keyword", "f.shift": "Night" }), { colorScheme: "dark" }],
  ["web-entry", "/entry/SKY-0169?q=wiggler+quench", {}],
  ["web-browse", "/browse?day=2025-06-13", {}],
  ["web-agent", `/agent?${new URLSearchParams({ q: "why was the flow switch replaced?" })}`, {}],
  ["web-status", "/status", {}],
  ["web-plugins", "/plugins", { prepare: openParameters }],
  ["web-phone", search(QUESTION), PHONE],
  ["web-phone-pages", "/agent", { ...PHONE, prepare: openPages }],
  ["web-components", "/new", { prepare: showComponents, isWhole: true }],
  ["web-components-dark", "/new", { prepare: showComponents, isWhole: true, colorScheme: "dark" }],
];

/** Those over several domains. */
const TROUBLE = "why did CAV1 trip in March?";
const DOMAIN_PICTURES = [
  ["web-domains", search(TROUBLE), {}],
  ["web-domains-why", search(TROUBLE, { scope: "logbook" }), { prepare: openReasons }],
  ["web-domains-outside", search("circulator", { scope: "rounds" }), { prepare: toTheEnd }],
  ["web-domains-typing", "/", { prepare: typeName }],
  ["web-domains-dark", search("compare the wiggler quenches"), { colorScheme: "dark" }],
  ["web-domains-phone", search(TROUBLE), PHONE],
];

export async function drawPictures(browser, folder) {
  await someSearches();
  await draw(browser, folder, PICTURES);
}

export async function drawDomainPictures(browser, folder) {
  const asked = ["why did the wiggler quench in June?", "what went wrong with the circulator of CAV1?"];
  for (const q of asked) await fetch(`${address}/v1/search/query`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ q }) });
  await draw(browser, folder, DOMAIN_PICTURES);
}

async function draw(browser, folder, pictures) {
  for (const [name, path, { prepare, isWhole, ...options }] of pictures) {
    const { page, context } = await openPage(browser, options);
    await visit(page, path);
    await prepare?.(page);
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: Boolean(isWhole) });
    await context.close();
  }
}

/** The times in the pictures are those of a service that is used. */
async function someSearches() {
  const questions = ["wiggler quench", "vacuum leak", "klystron filament", "beam loss", "flow switch"];
  for (const mode of ["keyword", "semantic", "rag"]) {
    for (const query of questions) {
      const body = JSON.stringify({ query, mode });
      const reply = await fetch(`${address}/api/search`, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (!reply.ok) throw new Error(`a search for the picture: ${reply.status}`);
    }
  }
}

async function openPages(page) {
  await page.locator("#menu").click();
}

async function openReasons(page) {
  await page.locator(".provenance").first().click();
  await page.locator(".card").first().scrollIntoViewIfNeeded();
}

/** Entries are drawn once they come into view. */
async function toTheEnd(page) {
  for (const place of [".hit", ".overflow"]) await page.locator(place).last().scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 10_000);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function typeName(page) {
  await page.locator("#q").pressSequentially("circulator");
  await page.locator(".suggestion").first().waitFor();
}

async function openParameters(page) {
  await page.locator(".plugin summary").first().click();
}
