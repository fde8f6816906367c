// What the server told of the page, and what is asked of it: each event is answered with one view or, while something is
// written, with a stream of them.

/**
 * What stands in the document, made by `ui/page/document.py`.
 *
 * @type {{words: Record<string, string>, language: string, languages: Record<string, string>, cookie: string,
 *   zone_cookie: string, panels: Record<string, any>, card_parts: string[], models?: any, isAtStart?: boolean}}
 */
export const noted = JSON.parse(document.getElementById("noted-data").textContent);
export const { words, language } = noted;

const page = newId();
let network = new AbortController(); // aborted where the browser says that there is none any more
let isLeaving = false;

window.addEventListener("offline", () => {
  network.abort();
  network = new AbortController();
});
// A request that ends with the page was not lost.
window.addEventListener("pagehide", () => (isLeaving = true));
window.addEventListener("pageshow", () => (isLeaving = false));

// Which day it is where the user lives.
keepCookie(noted.zone_cookie, Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Make an id that nobody guesses. */
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return true if the page shows that a model of the user's own answers. Then the server lets no other answer. */
export function hasOwnModel() {
  return Boolean(document.documentElement.dataset.ownModel);
}

/**
 * Send an event of a panel, and give each view of its answer to `show`. Rejects where the server cannot be reached or
 * refuses the request, where the answer breaks off, and where `signal` aborts it.
 *
 * @param {string} panel
 * @param {string} event
 * @param {any} data
 * @param {(view: any) => void} show
 * @param {AbortSignal} [signal]
 */
export async function follow(panel, event, data, show, signal) {
  try {
    const response = await fetch(`page/${panel}/${event}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ page, data: { ...data, own: hasOwnModel() } }),
      signal: AbortSignal.any([network.signal, ...(signal ? [signal] : [])]),
    });
    // Another address than this one may be the server's own: then it takes what the page sends for another site's.
    document.body.classList.toggle("unreachable", response.status === 403);
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    if (!response.headers.get("Content-Type").startsWith("text/event-stream")) show(await response.json());
    else for await (const view of serverSentEvents(response.body)) show(view);
  } catch (error) {
    if (isLeaving) return new Promise(() => {});
    throw error;
  }
}

/** Send an event of a panel, and return the view that answers it. Rejects as `follow` does. */
export async function ask(panel, event, data = {}) {
  let view = null;
  await follow(panel, event, data, (told) => (view = told));
  return view;
}

/** Choose another language. The page is loaded again; what was asked and typed is there again. */
export function speak(code) {
  keepCookie(noted.cookie, code);
  history.replaceState({ isLanguageChosen: true }, "");
  window.location.reload();
}

/** Tell the other panels of something, which they hear by `listen`. */
export function tell(name, detail) {
  window.dispatchEvent(new CustomEvent(`noted:${name}`, { detail }));
}

/** Hear of something that a panel tells. */
export function listen(name, heard) {
  window.addEventListener(`noted:${name}`, (event) => heard(/** @type {CustomEvent} */ (event).detail));
}

// The data of server-sent events, each of which is one line of JSON.
async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) yield JSON.parse(event.slice("data: ".length));
  }
}

// Keeps what the server must know of this browser, for a year.
function keepCookie(name, value) {
  // Within the page of another site, a browser takes only a cookie that is kept apart for that site.
  const framed = window.parent !== window && window.location.protocol === "https:";
  const kind = framed ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; ${kind}`;
}
