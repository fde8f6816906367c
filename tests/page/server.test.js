import assert from "node:assert/strict";
import { test } from "node:test";
import "./document.js";

const { ask, follow } = await import("../../ui/static/shared/server.js");

const STREAM = { headers: { "Content-Type": "text/event-stream; charset=utf-8" } };
const encoded = new TextEncoder().encode('data: {"turns":[],"said":"ਗਰਮ"}\n\ndata: {"done":true}\n\n');

async function viewsOf(response) {
  const views = [];
  globalThis.fetch = async () => response;
  await follow("conversation", "ask", {}, (view) => views.push(view));
  return views;
}

test("a stream gives the same views wherever it is cut", async () => {
  for (let cut = 0; cut <= encoded.length; cut++) {
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(encoded.slice(0, cut));
        stream.enqueue(encoded.slice(cut));
        stream.close();
      },
    });
    assert.deepEqual(await viewsOf(new Response(body, STREAM)), [{ turns: [], said: "ਗਰਮ" }, { done: true }]);
  }
});

test("an answer at once is one view", async () => {
  assert.deepEqual(await viewsOf(Response.json({ done: "made" })), [{ done: "made" }]);
});

test("a request that is refused, and one that is lost, is an error", async () => {
  globalThis.fetch = async () => new Response("Too many requests.", { status: 429 });
  await assert.rejects(ask("tokens", "look"));
  globalThis.fetch = async (_address, { signal }) =>
    new Promise((_answer, fail) => signal.addEventListener("abort", () => fail(signal.reason)));
  const lost = ask("tokens", "look");
  window.dispatchEvent(new Event("offline"));
  await assert.rejects(lost);
});
