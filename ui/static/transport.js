// Events of the page, which the server answers with one view or, while something is written, with a stream of them.

const page = crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join("");
let network = new AbortController(); // aborted where the browser says that there is none any more
let isLeaving = false;

window.addEventListener("offline", () => {
  network.abort();
  network = new AbortController();
});
// A request that ends with the page was not lost.
window.addEventListener("pagehide", () => (isLeaving = true));
window.addEventListener("pageshow", () => (isLeaving = false));

// Sends an event of a panel, and gives `show` each view. Rejects where the server cannot be reached or refuses the request, where the
// answer breaks off, and where `signal` aborts it.
export async function perform(panel, event, data, show, signal) {
  const signals = [network.signal, ...(signal ? [signal] : [])];
  try {
    const response = await fetch(`page/${panel}/${event}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ page, data: data ?? null }),
      signal: AbortSignal.any(signals),
    });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    if (!response.headers.get("Content-Type").startsWith("text/event-stream")) show(await response.json());
    else for await (const view of sentEvents(response.body)) show(view);
  } catch (error) {
    if (isLeaving) return new Promise(() => {});
    throw error;
  }
}

// The data of server-sent events, each of which is one line of JSON.
async function* sentEvents(body) {
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
