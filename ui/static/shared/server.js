// Requests to the server: each event returns one view, or a stream of views by server-sent events.

/** @type {any} data embedded in the document by `ui/page/document.py` */
export const noted = JSON.parse(document.getElementById("noted-data").textContent);
export const { words, language } = noted;

const page = newId();
let network = new AbortController(); // aborted when the browser goes offline
let isLeaving = false;

window.addEventListener("offline", () => {
  network.abort();
  network = new AbortController();
});
// Requests aborted by leaving the page are no errors.
window.addEventListener("pagehide", () => (isLeaving = true));
window.addEventListener("pageshow", () => (isLeaving = false));

// Tell the server the user's time zone.
keepCookie(noted.zone_cookie, Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Return an id that cannot be guessed. */
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return true if the user's own model answers in this page; then the server allows no other. */
export const hasOwnModel = () => Boolean(document.documentElement.dataset.ownModel);

/** Return true if the small model answers, and the user may connect another. */
export const mayConnect = () => Boolean(noted.models?.isSmall && noted.models.mayConnect);

/**
 * Send an event of a panel, and pass each view of the response to `show`. Its data, or a File, is the body. Rejects if the
 * server is unreachable or refuses the request, if the stream breaks off, or if `signal` aborts it.
 */
export async function follow(panel, event, data, show, signal) {
  try {
    const isFile = data instanceof File;
    const response = await fetch(`page/${panel}/${event}`, {
      method: "POST",
      headers: { "Content-Type": isFile ? "application/jsonl" : "application/json" },
      body: isFile ? data : JSON.stringify({ page, data: { ...data, own: hasOwnModel() } }),
      signal: AbortSignal.any([network.signal, ...(signal ? [signal] : [])]),
    });
    // At an address that the server does not know, its Origin check refuses our own page.
    document.body.classList.toggle("unreachable", response.status === 403);
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    if (!response.headers.get("Content-Type").startsWith("text/event-stream")) show(await response.json());
    else for await (const view of serverSentEvents(response.body)) show(view);
  } catch (error) {
    if (isLeaving) return new Promise(() => {});
    throw error;
  }
}

/** Send an event of a panel and return the last view of the response. Rejects as `follow` does. */
export async function ask(panel, event, data = {}) {
  let view = null;
  await follow(panel, event, data, (told) => (view = told));
  return view;
}

/** Change the language by reloading the page, which keeps unsent text. */
export function speak(code) {
  keepCookie(noted.cookie, code);
  history.replaceState({ isLanguageChosen: true }, "");
  window.location.reload();
}

/** Dispatch an event to other panels. */
export function tell(name, detail) {
  window.dispatchEvent(new CustomEvent(`noted:${name}`, { detail }));
}

/** Listen for an event of another panel. */
export function listen(name, heard) {
  window.addEventListener(`noted:${name}`, (event) => heard(/** @type {CustomEvent} */ (event).detail));
}

// Parse server-sent events, each with one line of JSON.
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

const unstored = new Map(); // texts that the browser does not store

/** Store a text in this browser, or in this tab; if storage is off or full, on the page. */
export function store(name, text, kind = "localStorage") {
  unstored.set(name, text);
  try {
    window[kind].setItem(name, text);
    unstored.delete(name);
  } catch {
    // It lasts as long as the page.
  }
}

/** Return a stored text; null if there is none. */
export function stored(name, kind = "localStorage") {
  try {
    return unstored.get(name) ?? window[kind].getItem(name);
  } catch {
    return null;
  }
}

// Set a cookie for a year.
function keepCookie(name, value) {
  // In a frame of another site, browsers accept only partitioned cookies.
  const framed = window.parent !== window && window.location.protocol === "https:";
  const kind = framed ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; ${kind}`;
}
