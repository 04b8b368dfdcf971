// Addresses and titles of the interface.

import { texts } from "./texts.js";

let show = () => {};

/** Says what shows the view of the address. */
export function onAddress(shows) {
  show = shows;
}

/** Goes to an address of the interface. */
export function go(address, { replaces = false, shows = true } = {}) {
  if (replaces) history.replaceState(history.state, "", address);
  else history.pushState(null, "", address);
  if (shows) show();
}

export function setTitle(text) {
  document.title = text ? `${text} · ${texts.appName}` : texts.appName;
}
