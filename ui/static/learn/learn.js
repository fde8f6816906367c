// Read a text sentence by sentence; its facts can be selected and saved. Stop ends the reading.

import { html, nothing } from "../shared/lit.js";
import { button, copyText, written } from "../shared/panel.js";
import { createReader } from "../shared/reader.js";
import { mayConnect, tell, words } from "../shared/server.js";
import { filled, howMany, lineText } from "../shared/text.js";

const reader = createReader("learn", {
  accepted: ".txt,.md,.json,text/plain",
  isNeeded: true,
  label: () => words.learn_read,
  begin,
  next: () => (done < total ? ["read", { text: reader.field().value }] : null),
  take,
  fields,
  opens,
  progress: () => ({ said: done ? filled(words.learn_progress, { done, of: total }) : "" }),
  ended,
  result,
});
const { panel } = reader;
let total = 1; // sentences, unknown before the first view
let done = 0;
let found = []; // sentences with facts: each its text and lines, which can be ticked

// Show the request that makes another assistant say what it remembers.
function fields() {
  return html`<details>
    <summary class="hint">${words.learn_from}</summary>
    <p class="hint">${words.learn_from_how}</p>
    <blockquote class="sunken" dir="auto">${words.learn_from_ask}</blockquote>
    ${button("button small", words.copy, ({ target }) => copyText(words.learn_from_ask, target))}
  </details>`;
}

// Fill the field with the user's own messages of a `conversations.json`; false for any other file.
async function opens(file) {
  const own = await ownMessages(file).catch(() => "");
  if (own) reader.field().value = own.slice(-panel.props.longest); // the newest that fit
  return Boolean(own);
}

// Return the messages of the user in an export of ChatGPT or Claude, a line each; rejects if it is none.
async function ownMessages(file) {
  if (!file.name.endsWith(".json")) return "";
  const dated = ({ update_time: seconds, updated_at: day }) => seconds ?? Date.parse(day);
  const messages = ({ mapping = {}, chat_messages: claude = [] }) => [
    ...Object.values(mapping).map(({ message }) => message?.author?.role === "user" && message.content?.parts),
    ...claude.map(({ sender, text }) => sender === "human" && [text]),
  ];
  const chats = JSON.parse(await file.text()).sort((one, other) => dated(one) - dated(other));
  const parts = chats.flatMap(messages).filter(Array.isArray).flat();
  return parts.filter((part) => typeof part === "string").join("\n");
}

const lines = () => found.flatMap((one) => one.lines);
const skipped = () => done > found.length && howMany("learn_skipped", done - found.length);

function begin() {
  [total, done, found] = [1, 0, []];
  reader.run();
}

function take({ read = [], done: now = done, of = total }) {
  [done, total] = [now, of];
  for (const { text, line } of read) {
    if (found.at(-1)?.text !== text) found.push({ text, lines: [] });
    found.at(-1).lines.push({ line, isTicked: true });
  }
}

function ended() {
  const count = lines().length;
  if (!count) return words.learn_nothing;
  return [filled(words.learn_found, { count }), skipped()].filter(Boolean).join(" ");
}

async function keep() {
  const ticked = (lines) => lines.filter(({ isTicked }) => isTicked).map(({ line }) => line);
  const facts = found.map(({ text, lines }) => ({ text, triples: ticked(lines) }));
  const told = await panel.send("keep", { facts: facts.filter(({ triples }) => triples.length) });
  if (!told) return;
  if (!told.why.length) reader.field().value = "";
  forget([filled(words.learn_kept, { count: told.kept }), ...told.why].join(" "));
  tell("memory");
}

function forget(sentence = "") {
  [found, done] = [[], 0];
  panel.say(sentence);
}

function result() {
  const isDisabled = !lines().some(({ isTicked }) => isTicked);
  const label = lines().every(({ isTicked }) => isTicked) ? words.learn_keep_all : words.learn_keep_some;
  const buttons = html`<div class="buttons">
    ${button("button small primary", label, keep, { isDisabled })}
    ${button("button small", words.learn_keep_none, () => forget())}
  </div>`;
  // A connected model reads sentences that the small one cannot.
  const offer = button("button small", words.start_connect, () => tell("connect", {}));
  return html`${skipped() && !reader.isGoing() && mayConnect() ? html`<div class="buttons">${offer}</div>` : nothing}
    <ul class="rows">${found.map(sentence)}</ul>
    ${found.length && !reader.isGoing() ? buttons : nothing}`;
}

function sentence({ text, lines }) {
  return html`<li class="stack"><q dir="auto">${text}</q>${lines.map(lineLabel)}</li>`;
}

function lineLabel(one) {
  const tick = ({ target }) => {
    one.isTicked = target.checked;
    panel.draw();
  };
  return html`<label class="learn-triple">
    <input type="checkbox" .checked=${one.isTicked} @change=${tick} /> ${written(lineText(one.line.split(" | ")))}
  </label>`;
}

panel.draw();
