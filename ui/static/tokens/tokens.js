// API tokens: the secret is shown once.

import { html, keyed, nothing, repeat } from "../shared/lit.js";
import { button, copyText, createControls, createPanel, saidLines } from "../shared/panel.js";
import { listen, words } from "../shared/server.js";
import { filled, localTime, tooLong } from "../shared/text.js";

const panel = createPanel("tokens", { view, receive });
const controls = createControls(panel);
let mayMake = false;
let tokens = [];
let secret = "";

function receive(told) {
  mayMake = told.may_make;
  tokens = told.tokens;
  if (told.done) panel.said = words[told.done] ?? "";
  secret = told.secret ?? "";
}

const field = () => panel.find("input");

async function make(event) {
  event.preventDefault();
  const label = field().value;
  const refused = tooLong(label, panel.props.longest);
  if (refused) return panel.refuse(refused);
  if (!label.trim()) return field().focus();
  panel.said = "";
  if (!panel.isAwaited && (await panel.send("make", { label }))) field().value = "";
}

// Revoke a token, and focus the one in its place.
async function revoke(id) {
  const place = tokens.findIndex((token) => token.id === id);
  panel.said = "";
  if (!(await controls.send(id, "revoke", { token: id }))) return;
  const next = panel.element.querySelectorAll("li button")[Math.min(place, tokens.length - 1)];
  (next ?? (mayMake ? field() : document.querySelector("#settings button"))).focus({ preventScroll: true });
}

function view() {
  const addressOf = (path) => new URL(path, document.baseURI).href;
  return html`<section class="stack" aria-labelledby="tokens-title" ?hidden=${!mayMake && !tokens.length}>
    <h3 id="tokens-title">${words.programs_title}</h3>
    <p class="hint">${words.programs_what}</p>
    <form class="stack" autocomplete="off" ?hidden=${!mayMake} @submit=${make}>
      <label class="hint" for="token-label">${words.token_label}</label>
      <div class="row">
        <input id="token-label" type="text" dir="auto" autocomplete="off" required />
        <button class="button primary" type="submit" ?disabled=${panel.isAwaited}>${words.token_make}</button>
      </div>
    </form>
    ${saidLines(panel)}
    <div class="stack tokens-made" ?hidden=${!secret}>${keyed(secret, madeToken())}</div>
    <ul class="rows">${repeat(tokens, ({ id }) => id, tokenItem)}</ul>
    <p class="hint">${filled(words.programs_where, { chat: addressOf("v1"), http: addressOf("api/ask"), mcp: addressOf("mcp") })}</p>
  </section>`;
}

function madeToken() {
  if (!secret) return nothing;
  return html`<code class="box" dir="ltr">${secret}</code>
    ${button("button small", words.copy, ({ target }) => copyText(secret, target), { isFocused: true })}`;
}

function tokenItem({ id, label, when }) {
  const name = label || words.token_unnamed;
  const asked = { question: words.token_revoke_sure, label: words.token_revoke, isErasing: true, name };
  const isAsked = controls.isOpen(id);
  return html`<li class=${isAsked ? "" : "spread"} data-id=${id}>
    <div>
      <p class="strong" dir="auto">${name}</p>
      <p class="hint">${filled(words.token_since, { when: localTime(when) })}</p>
    </div>
    <div class="buttons">${
      isAsked
        ? controls.question(id, asked, () => revoke(id))
        : controls.control(id, "", words.token_revoke, () => controls.open(id), name)
    }</div>
  </li>`;
}

/** Refresh the tokens, without the secret and the confirmation of an earlier action. */
export function look() {
  secret = "";
  panel.say("");
  return panel.look();
}

// Erasing everything includes the tokens.
listen("memory", (what) => what === "forgotten_all" && look());
panel.draw();
