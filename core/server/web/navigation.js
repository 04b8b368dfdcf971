// Addresses and titles of the interface.

import { texts } from "./texts.js";

let show = () => {};

/** Says what shows the view of the address. */
export function onAddress(shows) {
  show = shows;
}

/** Goes to an address of the interface; the place in a list that is left is kept
 * for who comes back to it. */
export function go(address, { replaces = false, shows = true } = {}) {
  if (replaces) history.replaceState({ ...history.state, place: null }, "", address);
  else {
    history.replaceState({ ...history.state, place: { top: scrollY, title: titles().indexOf(document.activeElement) } }, "");
    history.pushState({ isInside: true }, "", address);
  }
  if (shows) show();
}

/** Whether the page before is one of the interface. */
export function cameFromInside() {
  return Boolean(history.state?.isInside);
}

/** The place in the list of this address when it was left; none at first. */
export function leftPlace() {
  return history.state?.place || null;
}

/** Goes to a place in the list, which is drawn; once. */
export function returnTo(place) {
  if (!place) return;
  history.replaceState({ ...history.state, place: null }, "");
  scrollTo(0, place.top);
  const title = titles()[place.title];
  title?.focus({ preventScroll: true });
  title?.scrollIntoView({ block: "nearest" });
}

function titles() {
  return [...document.querySelectorAll(".hit-title, .line-title")];
}

export function setTitle(text) {
  document.title = text ? `${text} · ${texts.appName}` : texts.appName;
}
