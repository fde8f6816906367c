// API tokens: the secret is shown once.

import { createControls } from "../shared/forms.js";
import { html, keyed, nothing, repeat } from "../shared/lit.js";
import { button, copyText, createPanel, problemLine } from "../shared/panel.js";
import { listen, words } from "../shared/server.js";
import { filled, localTime, tooLong } from "../shared/text.js";

const panel = createPanel("tokens", { view, receive });
const controls = createControls(panel);
let mayMake = false;
let tokens = [];
let said = "";
let secret = "";

function receive(told) {
  mayMake = told.may_make;
  tokens = told.tokens;
  if (told.done) said = words[told.done] ?? "";
  secret = told.secret ?? "";
}

const field = () => panel.find("input");

async function make(event) {
  event.preventDefault();
  const label = field().value;
  const refused = tooLong(label, panel.props.longest);
  if (refused) return panel.refuse(refused);
  if (!label.trim()) return field().focus();
  said = "";
  if (!panel.isAwaited && (await panel.send("make", { label }))) field().value = "";
}

// Revoke a token, and focus the one in its place.
async function revoke(name, id) {
  const place = tokens.findIndex((token) => token.id === id);
  said = "";
  if (!(await controls.send(name, "revoke", { token: id }))) return;
  const next = panel.element.querySelectorAll(".tokens-one button")[Math.min(place, tokens.length - 1)];
  (next ?? (mayMake ? field() : document.querySelector("#settings button"))).focus({ preventScroll: true });
}

function view() {
  return html`<section class="stack tokens" aria-labelledby="tokens-title" ?hidden=${!mayMake && !tokens.length}>
    <h3 id="tokens-title">${words.programs_title}</h3>
    <p class="hint">${words.programs_what}</p>
    <form class="stack" autocomplete="off" ?hidden=${!mayMake} @submit=${make}>
      <label class="entry-label" for="token-label">${words.token_label}</label>
      <div class="row">
        <input id="token-label" type="text" dir="auto" autocomplete="off" required />
        <button class="button primary" type="submit" ?disabled=${panel.isAwaited}>${words.token_make}</button>
      </div>
    </form>
    ${problemLine(panel)}
    <p class="drawer-said strong" id="tokens-said" role="status" aria-live="polite">${said}</p>
    <div class="stack tokens-made" ?hidden=${!secret}>${keyed(secret, madeToken())}</div>
    <ul class="rows">${repeat(tokens, ({ id }) => id, tokenItem)}</ul>
    <p class="hint">${filled(words.programs_where, { http: addressOf("api/ask"), mcp: addressOf("mcp") })}</p>
  </section>`;
}

function madeToken() {
  if (!secret) return nothing;
  return html`<code class="tokens-secret box" dir="ltr">${secret}</code>
    ${button("button small", words.copy, ({ target }) => copyText(secret, target), { isFocused: true })}`;
}

function tokenItem({ id, label, when }) {
  const called = label || words.token_unnamed;
  const name = `revoke ${id}`;
  const asked = {
    question: words.token_revoke_sure,
    label: words.token_revoke,
    keep: words.forget_no,
    look: "danger filled",
    name: called,
  };
  const isAsked = controls.isOpen(name);
  return html`<li class="tokens-one ${isAsked ? "" : "spread"}" data-id=${id}>
    <div>
      <p class="strong" dir="auto">${called}</p>
      <p class="entry-label">${filled(words.token_since, { when: localTime(when) })}</p>
    </div>
    <div class="buttons">${
      isAsked
        ? controls.question(name, asked, () => revoke(name, id))
        : controls.control(name, "danger", words.token_revoke, () => controls.open(name), called)
    }</div>
  </li>`;
}

function addressOf(path) {
  return new URL(path, document.baseURI).href;
}

/** Refresh the tokens, without the secret and the confirmation of an earlier action. */
export function look() {
  [said, secret] = ["", ""];
  panel.draw();
  return panel.send("look");
}

// Erasing everything includes the tokens.
listen("memory", (what) => what === "forgotten_all" && look());
panel.draw();
