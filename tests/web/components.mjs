// The page of components: each part of the interface, made by the interface's
// own functions and styles. It is drawn in the browser over the running
// service, for a picture of the documentation and for tests; nothing of it is
// served.

import { assert, axe, visit } from "./harness.mjs";

/** Leaves the page of components in the place of the page's content. */
export async function showComponents(page) {
  await visit(page, "/new");
  await page.evaluate(drawComponents);
}

/** Runs in the page. */
async function drawComponents() {
  const names = ["dom", "answer", "hits", "plan", "facets", "progress", "plugins", "unified_scope", "address"];
  const loaded = await Promise.all(names.map((name) => import(`/assets/${name}.js`)));
  const [dom, answer, hits, plan, facets, progress, plugins, scope, address] = loaded;
  const { el, icon, iconButton, replace } = dom;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    .components { padding: 24px 0; display: grid; gap: 24px; }
    .components > section { display: grid; grid-template-columns: 160px minmax(0, 1fr); gap: 24px; border-top: 1px solid var(--n2); padding-top: 16px; }
    .specimen { display: flex; flex-wrap: wrap; gap: 12px 16px; align-items: center; min-width: 0; }
    .specimen > :is(.answer, .notes, .problem, .note-box, .hits, .search-form, .scope-row) { flex: 1 0 100%; margin: 0; }
    .specimen .facet { width: 264px; margin: 0; }
    .swatch { width: 108px; font-size: var(--text-s); color: var(--n5); }
    .swatch i { display: block; height: 40px; border-radius: 6px; border: 1px solid var(--n3); margin-bottom: 4px; }
    .space { background: var(--accent-soft); border-left: 2px solid var(--accent); height: 24px; font-size: var(--text-s); color: var(--n6); }
    .swatch code, .space code { white-space: nowrap; }
  `);
  document.adoptedStyleSheets = [sheet];

  const rules = [...document.styleSheets[0].cssRules].find((rule) => rule.selectorText === ":root").style;
  const tokens = [...rules].filter((name) => name.startsWith("--"));
  const valueOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const section = (title, ...specimens) => el("section", {}, el("h2", {}, title), el("div", { class: "specimen" }, specimens));
  const swatch = (name) => {
    const patch = el("i", {});
    patch.style.background = `var(${name})`;
    return el("div", { class: "swatch" }, patch, el("code", {}, name.slice(2)), " ", valueOf(name));
  };
  const line = (name) => {
    const node = el("p", {}, `${valueOf(name).replace("px", "")} Wiggler quench`);
    node.style.fontSize = `var(${name})`;
    return node;
  };
  const space = (size) => {
    const node = el("div", { class: "space" }, size >= 24 ? String(size) : "");
    node.style.width = `${size}px`;
    return el("div", {}, node, el("span", { class: "small" }, size < 24 ? String(size) : ""));
  };

  const entry = (id, cited) => ({
    entry_id: id, raw_text: "Wiggler quench at 3.5 T\nThe quench detector tripped on an imbalance of 40 mV on the voltage tap.", timestamp: "2025-06-11T02:25:00+02:00",
    author: "I. Quarry", metadata: { title: "Wiggler quench at 3.5 T", shift: "Night" }, attachments: [{}], score: 0.71, score_kind: "convex",
    fragments: [{ text: "The quench detector tripped on an imbalance of 40 mV on the voltage tap.", ranges: [[4, 10], [60, 71]] }],
    provenance: [{ module: "keyword", rank: 1, score: 9.4, score_kind: "bm25" }, { module: "semantic", rank: 3, score: 0.52, score_kind: "cosine" }], cited,
  });
  const state = { ...address.read("?q=why+did+the+wiggler+quench+in+June+2025%3F&f.shift=Night"), ignored: ["wiggler"] };
  const text = "why did the wiggler quench in June 2025?";
  const at = (words) => ({ start: text.indexOf(words), end: text.indexOf(words) + words.length });
  const read = {
    text, intent: "cause", intent_words: ["why"],
    times: [{ span: at("June 2025"), precision: "month", from: "2025-06-01T00:00:00Z", to: "2025-07-01T00:00:00Z" }],
    entities: [{ span: at("quench"), kind: "device", value: "quench", field: "tag" }],
  };
  const domains = [["ok", 12], ["no_match"], ["empty"], ["partial", 3], ["failed"]];
  const row = scope.scopeRow(() => {});
  row.show(domains.map(([status]) => ({ name: status, label: { ok: "Logbook", no_match: "Manuals", empty: "Rounds", partial: "North hall", failed: "Partner site" }[status] })), ["ok"],
    { domains: domains.map(([status, found]) => ({ domain: status, status, hits: found || 0, failure: "timeout" })) });
  const answered = el("section", { class: "answer" },
    el("header", {}, el("button", { type: "button", class: "answer-toggle", "aria-expanded": "true" }, "Answer"), el("span", { class: "badge-place" }, answer.statusBadge("grounded", { confidence: 0.92 }))),
    el("div", { class: "answer-text" }, answer.answerText("On 2025-06-11 (I. Quarry): The quench detector tripped on an imbalance of 40 mV. [#A]\n- The voltage tap was loose and was replaced. [#B]", ["A", "B"], () => {}, { highlights: [{ start: 61, end: 79 }] })));
  const list = el("ol", { class: "hits" }, hits.hitNode(entry("SKY-0169"), 1, state, true), hits.hitNode(entry("SKY-0170"), 2, state, false));
  list.querySelector(".provenance").click();

  document.getElementById("bar").hidden = true;
  replace(document.getElementById("main"), el("div", { class: "components" },
    el("h1", {}, "Components"),
    section("Colors", tokens.filter((name) => CSS.supports("color", valueOf(name))).map(swatch)),
    section("Type", tokens.filter((name) => name.startsWith("--text-")).map(line), el("code", {}, "SR09I:SCW:HE_LEVEL")),
    section("Spaces", [4, 8, 12, 16, 24, 40].map(space)),
    section("Buttons", el("button", { type: "button", class: "primary" }, "Search"), el("button", { type: "button" }, "Copy link"), el("button", { type: "button", disabled: true }, "Disabled"),
      el("button", { type: "button", class: "quiet" }, "New conversation"), el("button", { type: "button", class: "question-link" }, "CAV1: What fixed it?"),
      ["sliders", "clock", "theme", "menu"].map((name) => iconButton(name, name, () => {})), el("a", { href: "/" }, "A link"), el("kbd", {}, "/")),
    section("Fields", el("div", { class: "search-form" }, icon("search"), el("input", { class: "box", "aria-label": "Question", placeholder: "Ask a question or type words, names, PVs" })),
      el("select", { "aria-label": "Mode" }, el("option", {}, "RAG")), el("input", { class: "field", "aria-label": "Title", value: "Wiggler quench" }), el("input", { class: "field", "aria-label": "Author", "aria-invalid": "true" })),
    section("Query plan", el("ul", { class: "chips" }, plan.planChips(read, state, { timezone: "UTC" }, () => {}))),
    section("Domains", row.node),
    section("States", ["grounded", "partial", "clarify", "insufficient", "uncited"].map((status) => answer.statusBadge(status, { confidence: status === "partial" ? 0.55 : undefined })),
      ["created", "started", "degraded", "quarantined"].map((one) => plugins.pluginState({ state: one }))),
    section("Answer", answered),
    section("Entries", list),
    section("Facets", facets.facetGroups([{ field: "shift", values: [{ value: "Night", count: 12 }, { value: "Day", count: 7 }] }, { field: "author", values: [{ value: "Ines Quarry", count: 9 }, { value: "Bertil Raske", count: 2 }] }], state, () => {})),
    section("Notes", progress.diagnostics({ degraded: true, diagnostics: [{ level: "info", source: "rag.plan", message: "treated as a follow-up" }, { level: "warning", source: "agent", message: "no chat model is configured (`reasoning.provider`)" }, { level: "error", source: "rag.semantic", message: "the module timed out" }] }),
      progress.failure(Object.assign(new Error("The server does not answer."), { requestId: "5f1c" }), () => {}), el("p", { class: "note-box" }, "A draft is kept for an hour."), el("p", { class: "note-box good" }, "Published as SKY-0401"),
      el("span", { class: "tag" }, "wiggler"), el("span", { class: "tag cited" }, "cited")),
  ));
}

/** The sizes of type that are seen on a page, without those of names in a
 * fixed width, which are a little smaller so that they look as large. */
function sizesOfType() {
  const shown = [...document.querySelectorAll("body *")].filter((node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim()) && node.getClientRects().length);
  return [...new Set(shown.filter((node) => !node.closest("code, pre, kbd")).map((node) => getComputedStyle(node).fontSize))];
}

export const componentTests = {
  "the components have no serious faults of accessibility, light and dark": {
    options: { bypassCSP: true },
    run: async ({ page }) => {
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await showComponents(page);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
        const told = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`);
        assert.deepEqual(told, [], colorScheme);
      }
    },
  },

  "every size of type is one of five": async ({ page }) => {
    const scale = ["12px", "14px", "16px", "20px", "28px"];
    for (const path of ["/", "/?q=wiggler+quench&mode=rag", "/entry/SKY-0170", "/new", "/status", "/plugins", "/agent"]) {
      await visit(page, path);
      const others = (await page.evaluate(sizesOfType)).filter((size) => !scale.includes(size));
      assert.deepEqual(others, [], path);
    }
  },
};
