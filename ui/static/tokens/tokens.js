// Tokens: one is shown when it is made, and never again.

import { button, confirmation, copyText, createPanel, focused, problemLine } from "../shared/panel.js";
import { html, keyed, ref, repeat } from "../shared/lit.js";
import { listen, words } from "../shared/server.js";
import { filled, localTime, tooLong } from "../shared/text.js";

const panel = createPanel("tokens", { view, receive });
let mayMake = false;
let tokens = [];
let asking = ""; // the id of the token of which it is asked whether to revoke it
let said = "";
let secret = "";

function receive(told) {
  const left = new Set(told.tokens.map((token) => token.id));
  const revoked = tokens.findIndex((token) => !left.has(token.id));
  mayMake = told.may_make;
  tokens = told.tokens;
  // The list may have been read anew meanwhile: what was done stays said until something else is.
  if (told.done) said = words[told.done] ?? "";
  secret = told.secret ?? "";
  if (told.done === "token_made") field().value = "";
  if (told.done !== "token_revoked") return;
  asking = "";
  panel.draw();
  focusAfter(revoked);
}

const field = () => panel.find("input");

// The one that took the place of what went, or whatever is there.
function focusAfter(place) {
  const items = panel.element.querySelectorAll(".tokens-one");
  const next = items[Math.min(place, items.length - 1)]?.querySelector("button");
  (next ?? (mayMake ? field() : panel.find("summary"))).focus({ preventScroll: true });
}

function make(event) {
  event.preventDefault();
  const label = field().value;
  const refused = tooLong(label, panel.props.longest);
  if (refused) return panel.refuse(refused);
  if (!label.trim()) return field().focus();
  if (!panel.isAwaited) send("make", { label });
}

function send(event, data) {
  said = "";
  panel.send(event, data);
  panel.draw();
}

function askToRevoke(id) {
  asking = id;
  panel.draw();
}

function view() {
  return html`<details class="drawer tokens" ?hidden=${!mayMake && !tokens.length}>
    <summary class="drawer-title">${words.programs_title}</summary>
    <p class="hint tokens-what">${words.programs_what}</p>
    <form class="stack drawer-form" autocomplete="off" ?hidden=${!mayMake} @submit=${make}>
      <label class="entry-label" for="token-label">${words.token_label}</label>
      <div class="drawer-row">
        <input id="token-label" type="text" dir="auto" autocomplete="off" />
        <button class="button primary" type="submit" ?disabled=${panel.isAwaited}>${words.token_make}</button>
      </div>
    </form>
    ${problemLine(panel)}
    <p class="drawer-said" id="tokens-said" role="status" aria-live="polite">${said}</p>
    <div class="stack tokens-made" ?hidden=${!secret}>${keyed(secret, madeToken())}</div>
    <ul class="rows drawer-list">${repeat(tokens, ({ id }) => id, tokenItem)}</ul>
    <p class="hint tokens-where">${filled(words.programs_where, { http: addressOf("api/ask"), mcp: addressOf("mcp") })}</p>
  </details>`;
}

function madeToken() {
  if (!secret) return "";
  return html`<code class="tokens-secret" dir="ltr">${secret}</code>
    <button
      class="button small"
      type="button"
      aria-describedby="tokens-said"
      @click=${({ target }) => copyText(secret, target)}
      ${ref(focused)}
    >${words.copy}</button>`;
}

function tokenItem({ id, label, when }) {
  const name = label || words.token_unnamed;
  const asked = {
    question: words.token_revoke_sure,
    label: words.token_revoke,
    keep: words.forget_no,
    look: "danger filled",
    name,
    isDisabled: panel.isAwaited,
  };
  const revoke = button("button small danger", words.token_revoke, () => askToRevoke(id), {
    name: `${words.token_revoke}: ${name}`,
    isDisabled: panel.isAwaited,
  });
  const goBack = () => {
    askToRevoke("");
    panel.find(`[data-id="${id}"] button`).focus({ preventScroll: true });
  };
  return html`<li class="tokens-one ${asking === id ? "asking" : ""}" data-id=${id}>
    <div>
      <p class="tokens-name" dir="auto">${name}</p>
      <p class="entry-label">${filled(words.token_since, { when: localTime(when) })}</p>
    </div>
    <div class="buttons">${asking === id ? confirmation(asked, () => send("revoke", { token: id }), goBack) : revoke}</div>
  </li>`;
}

function addressOf(path) {
  return new URL(path, document.baseURI).href;
}

/** Read the tokens anew. */
export function look() {
  return panel.send("look");
}

// What is forgotten as a whole takes the tokens with it.
listen("memory", (what) => what === "forgotten_all" && look());
panel.draw();
