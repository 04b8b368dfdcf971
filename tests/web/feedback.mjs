// Whether an answer helped, and which entries are opened, told to the server.

import { address, assert, search, text, visit } from "./harness.mjs";

const QUESTION = "why did the wiggler quench?";
const WIDTHS = [360, 768, 1280];

const line = (page) => page.locator(".helpful");
const said = async (page) => (await (await page.request.get(`${address}/api/feedback`)).json()).filter((one) => one.question === QUESTION);

export const feedbackTests = {
  "below an answer one says by key whether it helped, at three widths": async ({ page }) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await visit(page, search(QUESTION));
      const yes = line(page).getByRole("button", { name: "Yes", exact: true });
      await yes.focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.querySelector(".helpful [role=status]").textContent);
      assert.match(await text(line(page)), /Thank you, kept/);
      assert.equal(await yes.getAttribute("aria-pressed"), "true");
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide at ${width} px`);
    }
    const answers = (await said(page)).filter((one) => one.entry_id === null);
    assert.deepEqual(answers.map((one) => one.verdict), ["helpful"]);
    assert.ok(answers[0].citations.length > 0);
    assert.equal(answers[0].mode, "rag");
  },

  "an entry that is opened from the results is noted": async ({ page }) => {
    await visit(page, search(QUESTION));
    const first = page.locator(".hit-title").first();
    await first.focus();
    const sent = page.waitForResponse((response) => response.url().endsWith("/api/feedback"));
    await page.keyboard.press("Enter");
    assert.equal((await sent).status(), 200);
    const opened = (await said(page)).filter((one) => one.verdict === "opened");
    assert.equal(opened.length, 1);
  },
};
