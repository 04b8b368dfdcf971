// The pictures of the documentation.

import { QUESTION, openPage, search, visit } from "./harness.mjs";

const PICTURES = [
  ["web-search", search(QUESTION), {}],
  ["web-search-dark", search("RF trip", { mode: "keyword", "f.shift": "Night" }), { colorScheme: "dark" }],
  ["web-entry", "/entry/SKY-0169?q=wiggler+quench", {}],
  ["web-browse", "/browse?day=2025-06-13", {}],
  ["web-phone", search(QUESTION), { viewport: { width: 390, height: 844 } }],
];

export async function drawPictures(browser, folder) {
  for (const [name, path, options] of PICTURES) {
    const { page, context } = await openPage(browser, options);
    await visit(page, path);
    await page.screenshot({ path: `${folder}/${name}.png` });
    await context.close();
  }
}
