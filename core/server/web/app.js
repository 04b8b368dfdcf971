// The frame around all views: header, addresses, keys, colors, sign-in.

import { agentView } from "./agent.js";
import { announce, el, icon, iconButton, link, replace } from "./dom.js";
import { forget, key } from "./api.js";
import { cameFromInside, go, onAddress, setTitle } from "./navigation.js";
import { browseView } from "./browse.js";
import { createView } from "./create.js";
import { entryView } from "./entry.js";
import { pluginsView } from "./plugins.js";
import { savedView } from "./saved.js";
import { searchView } from "./search.js";
import { statusView } from "./status.js";
import { texts } from "./texts.js";

const VIEWS = [
  [/^\/$/, searchView, "search"],
  [/^\/browse$/, browseView, "browse"],
  [/^\/entry\/(.+)$/, entryView, "entry"],
  [/^\/new$/, createView, "create"],
  [/^\/saved$/, savedView, "saved"],
  [/^\/status$/, statusView, "status"],
  [/^\/plugins$/, pluginsView, "plugins"],
  [/^\/agent$/, agentView, "agent"],
];

const main = document.getElementById("main");
let current = null;

/** Shows the view of the address. A view is `{ node, keys, update, leave }`. */
function show() {
  const [pattern, view, name] = VIEWS.find(([pattern]) => pattern.test(location.pathname)) || VIEWS[0];
  const argument = decoded(location.pathname.match(pattern)?.[1]);
  if (current?.name === name && current.update) {
    current.update(argument);
    return;
  }
  current?.leave?.();
  current = { name, ...view({ go, argument }) };
  replace(main, current.node);
  main.className = `view-${name}`;
  header(name);
  setTitle(texts.nav[name] || "");
  if (!current.keepsScroll) scrollTo(0, 0);
}

/** A part of an address; as it stands, where it is malformed. */
function decoded(part) {
  try {
    return part && decodeURIComponent(part);
  } catch {
    return part;
  }
}

function header(name) {
  const page = texts.nav[name] || "";
  const entries = ["search", "browse", "agent", "create", "saved", "status", "plugins"].map((view) => {
    const href = { search: "/", create: "/new" }[view] || `/${view}`;
    return link(href, { "aria-current": view === name ? "page" : null }, texts.nav[view]);
  });
  replace(
    document.getElementById("bar"),
    link("/", { class: "brand" },
      el("img", { src: "/assets/icon.svg", alt: "", width: 24, height: 24 }), texts.appName),
    el("nav", { id: "pages", "aria-label": texts.navLabel, onclick: () => toggleMenu(false) }, entries),
    el("span", { class: "tools" },
      el("button", { type: "button", class: "menu", id: "menu", "aria-expanded": "false", "aria-controls": "pages", "aria-label": texts.menu(page), onclick: () => toggleMenu() }, page, icon("menu")),
      key.get() && el("button", { type: "button", class: "quiet", onclick: signOut }, texts.signIn.out),
      iconButton("keys", texts.keysButton, toggleKeys, { "aria-expanded": "false", id: "keys-button" }),
      iconButton("theme", texts.theme[theme()], changeTheme, { id: "theme" })),
  );
}

/** Shows the pages where they have no room in the bar. */
function toggleMenu(isOpen = !document.getElementById("pages").classList.contains("open")) {
  document.getElementById("pages").classList.toggle("open", isOpen);
  document.getElementById("menu").setAttribute("aria-expanded", String(isOpen));
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest?.("a[href]");
  if (!anchor || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const address = new URL(anchor.href);
  const isHere = address.origin === location.origin && VIEWS.some(([pattern]) => pattern.test(address.pathname));
  if (!isHere || anchor.target || anchor.hasAttribute("download") || (address.hash && address.pathname === location.pathname)) return;
  event.preventDefault();
  go(address.pathname + address.search);
});
window.addEventListener("popstate", show);

// Colors

function theme() {
  return localStorage.getItem("gannet-theme") || "auto";
}

function applyTheme() {
  document.documentElement.dataset.theme = theme();
}

function changeTheme() {
  const next = { auto: "dark", dark: "light", light: "auto" }[theme()];
  localStorage.setItem("gannet-theme", next);
  applyTheme();
  const button = document.getElementById("theme");
  button.title = texts.theme[next];
  button.setAttribute("aria-label", texts.theme[next]);
  announce(texts.theme[next]);
}

// Keys

const keyRows = el("dl", {});
const keyList = el("aside", { class: "keys", id: "keys", hidden: true, "aria-label": texts.keysTitle }, el("h2", {}, texts.keysTitle), keyRows);
document.body.append(keyList);

function toggleKeys() {
  const known = [...texts.keys, ...(current?.moreKeys?.() || [])];
  replace(keyRows, known.map(([keys, what]) => el("div", {}, el("dt", {}, keys.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, what))));
  keyList.hidden = !keyList.hidden;
  document.getElementById("keys-button")?.setAttribute("aria-expanded", String(!keyList.hidden));
}

function isTyping(target) {
  return target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape" && !keyList.hidden) {
    toggleKeys();
    return;
  }
  if (event.key === "Escape" && document.getElementById("pages")?.classList.contains("open")) {
    toggleMenu(false);
    document.getElementById("menu").focus();
    return;
  }
  if (current?.keys?.(event, Boolean(isTyping(event.target)))) {
    event.preventDefault();
    return;
  }
  if (isTyping(event.target)) return;
  if (event.key === "?") {
    event.preventDefault();
    toggleKeys();
  } else if (event.key === "/") {
    event.preventDefault();
    go("/");
    document.getElementById("q")?.focus();
  } else if (event.key === "Escape" && location.pathname.startsWith("/entry/")) {
    event.preventDefault();
    cameFromInside() ? history.back() : go("/");
  }
});

// Sign-in

window.addEventListener("sign-in", (event) => {
  // Requests that ran at once are all refused.
  if (main.querySelector(".sign-in")) return;
  const input = el("input", { type: "password", id: "key", autocomplete: "off", required: true, class: "field" });
  const wasRefused = Boolean(key.get());
  key.clear();
  const submit = (submitted) => {
    submitted.preventDefault();
    key.set(input.value.trim());
    forget();
    restart();
  };
  replace(main, el("form", { class: "sign-in", onsubmit: submit },
    el("h1", {}, texts.signIn.title),
    el("p", {}, texts.signIn.help),
    wasRefused && el("p", { class: "problem", role: "alert" }, event.detail.message || texts.signIn.refused),
    el("label", { for: "key" }, texts.signIn.key),
    input,
    el("button", { class: "primary" }, texts.signIn.submit)));
  input.focus();
});

function restart() {
  current?.leave?.();
  current = null;
  show();
}

function signOut() {
  key.clear();
  forget();
  restart();
}

onAddress(show);
applyTheme();
show();
