// A browser on the service, and the tests that run in it, one after the other,
// each in a profile of its own.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const modules = createRequire(`${process.env.NODE_MODULES}/`);
const { chromium } = modules("playwright-core");

/** The source of axe-core, for pages that are examined with it. */
export const axe = modules("axe-core").source;
/** Where the service is that tests visit. */
export let address = process.env.ADDRESS;
export { assert };

/** Goes on with the service over several domains. */
export function visitDomains() {
  address = process.env.DOMAINS_ADDRESS;
}

export const QUESTION = "why did the wiggler quench in June 2025?";
const LAPTOP = { width: 1280, height: 720 };

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** A new page; what it asks for and what goes wrong in it is kept. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: LAPTOP, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  const seen = { foreign: [], errors: [], searches: [], unified: [] };
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`) && !url.startsWith("data:") && !url.startsWith(`blob:${address}`)) seen.foreign.push(url);
    if (request.method() !== "POST") return;
    if (url.includes("/api/search")) seen.searches.push(JSON.parse(request.postData()));
    if (url.endsWith("/v1/search/query")) seen.unified.push(JSON.parse(request.postData()));
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
  page.on("dialog", (dialog) => { seen.errors.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  return { page, seen, context };
}

/** Goes to an address of the interface and waits until it is drawn. */
export async function visit(page, path) {
  await page.goto(address + path);
  await page.waitForLoadState("networkidle");
}

export function search(question, more = {}) {
  return `/?${new URLSearchParams({ q: question, ...more })}`;
}

export const hits = (page) => page.locator(".hit");
export const text = (locator) => locator.innerText();

/** Counts in `window.shifted` how far what is shown moves by itself (cumulative
 * layout shift). */
export async function watchShifts(page) {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value; }).observe({ type: "layout-shift", buffered: true });
  });
}

/** Waits until a condition of the page holds, so many milliseconds at most. */
export async function until(condition, what, most = 10_000) {
  const end = Date.now() + most;
  while (Date.now() < end) {
    if (await condition()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`did not happen in ${most / 1000} s: ${what}`);
}
