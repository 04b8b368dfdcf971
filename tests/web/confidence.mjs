// What the page says of how sure an answer is, and the words in it that answer.

import { address, assert, axe, search, text, until, visit } from "./harness.mjs";

const GROUNDED = "Nach 3 µs: the quench detector tripped. [#SKY-0169]\n- The voltage tap was loose [#SKY-0170], and was replaced.";
const CLOSEST = "No entry answers this. Closest:\n- 2025-06-11: Wiggler quench at 3.5 T [#SKY-0169]\n- 2025-06-12: Voltage tap [#SKY-0170]";

/** The places of words, as the server counts them. */
function places(answer, words) {
  const bytes = (part) => Buffer.byteLength(part);
  return words.map((one) => ({ start: bytes(answer.slice(0, answer.indexOf(one))), end: bytes(answer.slice(0, answer.indexOf(one) + one.length)) }));
}

/** Every streamed search ends with this answer, over entries that there are. */
async function answerWith(page, fields) {
  await page.route("**/api/search/stream", async (route) => {
    const result = await page.request.post(`${address}/api/search`, { data: { query: "wiggler quench", mode: "keyword" } });
    const done = { ...(await result.json()), citations: ["SKY-0169", "SKY-0170"], answer_highlights: [], ...fields };
    const events = [["answer", { text: fields.answer }], ["done", done]].map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    return route.fulfill({ contentType: "text/event-stream", body: events.join("") });
  });
}

const grounded = { answer: GROUNDED, answer_status: "grounded", answer_confidence: 0.92, answer_highlights: places(GROUNDED, ["3 µs", "tripped. [#SKY-0169]\n- The", "replaced"]) };
const insufficient = { answer: CLOSEST, answer_status: "insufficient", answer_confidence: 0.08 };
const STATES = [
  [grounded, "Grounded", "Probably answers the question (92\u00a0%). Read the entry before you act on it.", "--good"],
  [{ answer: GROUNDED, answer_status: "partial", answer_confidence: 0.551 }, "Partial", "May answer the question (55\u00a0%).", "--warn"],
  [insufficient, "Insufficient", "No entry answers this question.", "--n5"],
  [{ answer: GROUNDED, answer_status: "grounded", answer_confidence: null }, "Grounded", "Cites entries. Read them before you act on it.", "--good"],
  [{ answer: GROUNDED, answer_status: "grounded", answer_confidence: 0.9999 }, "Grounded", "Probably answers the question (99\u00a0%). Read the entry before you act on it.", "--good"],
];

const rag = () => search("why did the wiggler quench?", { mode: "rag" });

/** The colour of the dot, and that of a name of the style. */
function colours(shape, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const wanted = getComputedStyle(probe).color;
  probe.remove();
  const style = getComputedStyle(shape);
  return { shown: style.backgroundColor === "rgba(0, 0, 0, 0)" ? style.borderTopColor : style.backgroundColor, wanted };
}

async function faults(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
  return violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`);
}

export const confidenceTests = {
  "a status has a colour, and a line that says what it means": async ({ page }) => {
    for (const [fields, word, line, colour] of STATES) {
      await page.unrouteAll();
      await answerWith(page, fields);
      await visit(page, rag());
      const badge = page.locator(".answer .badge");
      assert.equal(await text(badge.locator(".meaning")), line);
      assert.match(await text(badge), new RegExp(`^${word}`));
      const { shown, wanted } = await badge.locator(".shape").evaluate(colours, colour);
      assert.equal(shown, wanted, word);
    }
  },

  "the line is there on a telephone too": {
    options: { viewport: { width: 390, height: 844 }, hasTouch: true },
    run: async ({ page }) => {
      await answerWith(page, grounded);
      await visit(page, rag());
      assert.match(await text(page.locator(".answer .badge .meaning")), /\(92\s%\)/);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const place = (name) => page.locator(`.answer ${name}`).first().boundingBox();
      const [word, line] = [await place(".shape"), await place(".meaning")];
      assert.ok(line.y > word.y + word.height && line.x < word.x, "the line is below the status");
    },
  },

  "the words that answer are marked, and citations lead to their sentences": async ({ page }) => {
    await answerWith(page, grounded);
    await visit(page, rag());
    const marks = page.locator(".answer-text mark");
    // A highlight over a citation and the end of a line is marked around them.
    assert.deepEqual(await marks.allInnerTexts(), ["3 µs", "tripped.", "The", "replaced"]);
    const cites = page.locator(".answer-text .cite");
    assert.equal(await cites.count(), 2);
    assert.equal(await page.locator(".answer-text li mark").count(), 2);
    const id = await cites.first().getAttribute("data-cites");
    await cites.first().click();
    await page.locator(`[data-hit="${id}"] .hit-title:focus`).waitFor();
  },

  "the entries of an insufficient answer are a plain list": async ({ page }) => {
    await answerWith(page, insufficient);
    await visit(page, rag());
    assert.equal(await page.locator(".answer-text > ul > li").count(), 2);
    assert.doesNotMatch(await text(page.locator(".answer header")), /quoted/);
    const panel = page.locator(".answer");
    const sizes = () => page.evaluate(() => [".answer-text li", ".snippet"].map((one) => getComputedStyle(document.querySelector(one)).fontSize));
    const [item, snippet] = await sizes();
    assert.equal(item, snippet, "as large as the entries below");
    const border = () => panel.evaluate((node) => getComputedStyle(node).borderLeftColor);
    const plain = await border();
    await page.locator(".answer-text .cite").first().click();
    await page.locator('[data-hit="SKY-0169"] .hit-title:focus').waitFor();
    assert.equal(await page.locator("mark.quoted").count(), 0, "nothing was quoted");
    await page.unrouteAll();
    await answerWith(page, grounded);
    await visit(page, rag());
    assert.notEqual(await border(), plain);
  },

  "the agent says it too, also after a reload": async ({ page }) => {
    await answerWith(page, grounded);
    await page.goto(`${address}/agent?q=wiggler+quench`);
    const turn = page.locator(".turn");
    const isThere = async () => /\(92\s%\)/.test(await text(turn.locator(".badge"))) && (await turn.locator("mark").count()) === 4;
    await until(isThere, "the answer");
    await visit(page, "/agent");
    await until(isThere, "the kept answer");
  },

  "answers of each status have no faults of accessibility": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const [fields] of STATES.slice(0, 3)) {
          await page.unrouteAll();
          await answerWith(page, fields);
          await visit(page, rag());
          assert.deepEqual(await faults(page), [], `${fields.answer_status}, ${colorScheme}`);
        }
      }
    },
  },
};

export const domainConfidenceTests = {
  "an answer over several domains has its number and its words until a model phrases it": async ({ page }) => {
    await page.route("**/v1/search/query", async (route) => {
      const answer = await route.fetch();
      const reply = await answer.json();
      const { summary } = reply.contextAnswer;
      const first = summary.match(/\w{5,}/)[0];
      return route.fulfill({ response: answer, json: { ...reply, answerConfidence: 0.87, answerHighlights: places(summary, [first]) } });
    });
    await visit(page, search("what went wrong with CAV1?"));
    assert.match(await text(page.locator(".answer .badge")), /\(87\s%\)/);
    assert.equal(await page.locator(".answer-text mark").count(), 1);
    await page.getByRole("button", { name: "Phrase with a model" }).click();
    await until(async () => /phrased by a model/.test(await text(page.locator(".answer header"))), "the answer of the model");
    assert.equal(await page.locator(".answer-text mark").count(), 0);
    assert.doesNotMatch(await text(page.locator(".answer .badge")), /%/);
    await page.getByRole("button", { name: "Show the quotes" }).click();
    assert.equal(await page.locator(".answer-text mark").count(), 1);
  },
};
