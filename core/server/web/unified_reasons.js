// Why a hit is where it is: the ranks of the modules, the weight of its domain,
// and each boost with its reason.

import { el } from "./dom.js";
import { moduleName } from "./hits.js";
import { score } from "./format.js";
import { texts } from "./texts.js";

const t = texts.unified.reasons;

/** The reasons of a hit. Of one that is only on a card, the sentence. */
export function reasons(facet, hit, entry) {
  if (!hit) return el("ul", { class: "reason-list" }, facet.why.split("; ").map((part) => el("li", {}, part)));
  const ranks = (entry?.provenance || []).map((one) => texts.hit.rank(moduleName(one.module), one.rank)).join(", ");
  const rows = [
    row(score(hit.fused), t.fused, ranks || t.noRanks),
    hit.weight !== 1 && row(`× ${score(hit.weight)}`, t.weight, facet.label),
    ...hit.boosts.map((boost) => row(percent(boost.value), t.boosts[boost.name] || boost.name.replaceAll("_", " "), boost.reason)),
    hit.capped && row(percent(hit.boostTotal), t.all, t.capped),
  ].filter(Boolean);
  return el("div", {},
    el("table", {},
      el("thead", { class: "unseen" }, el("tr", {}, [t.share, t.signal, t.reason].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows),
      el("tfoot", {}, row(score(hit.score), t.score, t.formula))));
}

function row(share, signal, reason) {
  return el("tr", {}, el("td", { class: "share" }, share), el("th", { scope: "row" }, signal), el("td", {}, reason));
}

function percent(value) {
  return `+${Math.round(value * 100)} %`;
}
