// Requests to the server, with the key of this tab where one is needed.

import { texts } from "./texts.js";

const KEY = "gannet-key";

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem?.detail || texts.errors.http(status));
    this.status = status;
    this.code = problem?.code || "";
    this.requestId = problem?.request_id || "";
  }
}

export const key = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => sessionStorage.setItem(KEY, value),
  clear: () => sessionStorage.removeItem(KEY),
};

function headers(more, known) {
  return { ...more, ...(known ? { authorization: `Bearer ${known}` } : {}) };
}

/** Sends a request; throws ApiError, or AbortError when it was cancelled. */
export async function send(path, options = {}) {
  const used = key.get();
  let response;
  try {
    response = await fetch(path, { ...options, headers: headers(options.headers, used) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { detail: texts.errors.network });
  }
  if (response.ok) return response;
  let problem = null;
  try {
    problem = await response.json();
  } catch {
    // The body is not a problem; the status says what there is to say.
  }
  const error = new ApiError(response.status, problem);
  // Of 401s one is about the facility's logbook, and a late one about a key
  // that was replaced while the request ran.
  if (response.status === 401 && error.code !== "auth_required" && key.get() === used) window.dispatchEvent(new CustomEvent("sign-in", { detail: error }));
  throw error;
}

export async function get(path, signal) {
  return (await send(path, { signal })).json();
}

export async function post(path, body, signal, more = {}) {
  const options = { method: "POST", body: JSON.stringify(body), signal, headers: { "content-type": "application/json", ...more } };
  return (await send(path, options)).json();
}

/** Posts and calls `each(name, data)` for every event of the stream. */
export async function stream(path, body, each, signal) {
  const options = { method: "POST", body: JSON.stringify(body), signal, headers: { "content-type": "application/json" } };
  const response = await send(path, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const event = parse(block);
      if (event) each(event.name, event.data);
    }
  }
}

function parse(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}

let capabilities, site;

/** The modes; asked for once. */
export function getCapabilities() {
  capabilities ??= get("/api/capabilities").catch((error) => { capabilities = undefined; throw error; });
  return capabilities;
}

/** The installation; asked for once. */
export function getSite() {
  site ??= get("/api/site").catch((error) => { site = undefined; throw error; });
  return site;
}

export function forget() {
  capabilities = site = undefined;
}

/** All modes, pipelines last as people see them, by name. */
export function modesOf(known) {
  return Object.values(known.categories).flatMap((category) => category.modes);
}
