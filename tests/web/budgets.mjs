// How fast the search page is: the time from the navigation to the first paint,
// and from a key press to the results being drawn.

import { address, openPage, startBrowser, visit } from "./harness.mjs";

const LOADS = 20;
const SEARCHES = 60;
/** Milliseconds between two keys: about 120 words a minute. */
const BETWEEN_KEYS = 100;

/** Two words of each of some entries, spread over the store. */
async function questions(page) {
  const site = await (await page.request.get(`${address}/api/site`)).json();
  const pages = Math.min(site.entries, 1000);
  const texts = [];
  for (let at = 0; at < SEARCHES; at++) {
    const query = new URLSearchParams({ page_size: 1, page: 1 + Math.floor((at * pages) / SEARCHES) });
    const { entries } = await (await page.request.get(`${address}/api/entries?${query}`)).json();
    texts.push(entries[0].raw_text);
  }
  return { entries: site.entries, questions: texts.map((text) => text.match(/\p{L}{3,}/gu).slice(-2).join(" ")) };
}

/** A new browser profile each time: nothing is cached. */
async function firstPaint(browser, path) {
  const { page, context } = await openPage(browser);
  await visit(page, path);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  await context.close();
  return paint;
}

/** Types a question as a quick person does, and gives the milliseconds from its
 * last key to the frame with its results, and how many of them the request took. */
async function typed(page, question) {
  await page.locator("#q").fill("");
  await page.keyboard.type(question.slice(0, -1), { delay: BETWEEN_KEYS });
  await page.waitForTimeout(BETWEEN_KEYS);
  await page.evaluate((whole) => {
    performance.clearResourceTimings();
    const box = document.getElementById("q");
    const asked = (since) => performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/api/search") && one.startTime >= since);
    window.measured = new Promise((done) => {
      let pressed = Infinity;
      box.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { once: true });
      const seen = new MutationObserver(() => {
        // Results of the word without its last letter may still come.
        if (box.value !== whole || !asked(pressed).length) return;
        seen.disconnect();
        requestAnimationFrame(() => setTimeout(() => done({ total: performance.now() - pressed, request: asked(pressed).at(-1).duration })));
      });
      seen.observe(document.querySelector(".hits"), { childList: true });
    });
  }, question);
  await page.keyboard.press(question.at(-1));
  return page.evaluate(() => window.measured);
}

function line(what, values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)].toFixed(0);
  console.log(`${what}: median ${at(0.5)} ms, p95 ${at(0.95)} ms of ${values.length}`);
}

const browser = await startBrowser();
const { page } = await openPage(browser);
const known = await questions(page);
console.log(`${known.entries} entries, ${await browser.version()}`);
for (const [what, path] of [["the page without a question", "/"], ["the page of a search", `/?${new URLSearchParams({ q: known.questions[0], mode: "keyword" })}`]]) {
  // The first one starts parts of the browser.
  await firstPaint(browser, path);
  const paints = [];
  for (let load = 0; load < LOADS; load++) paints.push(await firstPaint(browser, path));
  line(`first paint of ${what}`, paints);
}
await visit(page, `/?${new URLSearchParams({ q: "a", mode: "keyword" })}`);
const times = [];
await typed(page, known.questions[0]);
for (const question of known.questions) times.push(await typed(page, question));
line("from the key press to the results", times.map((one) => one.total));
line("of that the request", times.map((one) => one.request));
await browser.close();
