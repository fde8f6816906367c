// Settings: token usage of recent answers, retention of conversations, and API tokens, whose secret is shown once.

import { createControls } from "../shared/forms.js";
import { html, keyed, nothing, repeat } from "../shared/lit.js";
import { button, closeButton, copyText, createPanel, problemLine, saidLines } from "../shared/panel.js";
import { listen, words } from "../shared/server.js";
import { filled, localNumber, localTime, tooLong } from "../shared/text.js";

const panel = createPanel("settings", { view, receive: (told) => (usage = told) });
const tokensPanel = createPanel("tokens", { view: tokensView, receive: receiveTokens });
const controls = createControls(tokensPanel);
const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("settings-dialog"));
let usage = null;
let mayMake = false;
let tokens = [];
let secret = "";

function receiveTokens(told) {
  mayMake = told.may_make;
  tokens = told.tokens;
  if (told.done) tokensPanel.said = words[told.done] ?? "";
  secret = told.secret ?? "";
}

function view() {
  return html`<div class="spread"><h2 id="settings-title">${words.settings}</h2>${closeButton(dialog)}</div>
    ${problemLine(panel)}
    <section class="stack" aria-labelledby="settings-usage">
      <h3 id="settings-usage">${words.settings_usage}</h3>
      ${usage ? usageLines(usage) : nothing}
    </section>
    <p class="hint">${filled(words.settings_kept, { days: panel.props.keep_days })}</p>`;
}

function usageLines({ answers, median, slowest, counted: of, estimated, prompt, reply, each, dollars }) {
  const time = { median: seconds(median), slowest: seconds(slowest), answers };
  const lines = [
    answers ? filled(words.settings_time, time) : words.settings_unused,
    of && filled(words.settings_tokens, { prompt: Math.round(prompt), reply: Math.round(reply) }),
    estimated && filled(words.settings_estimated, { count: estimated, answers: of }),
    dollars && filled(words.settings_cost, { each: inDollars(each), sum: inDollars(dollars) }),
  ];
  return lines.filter(Boolean).map((line) => html`<p>${line}</p>`);
}

function seconds(ms) {
  const count = localNumber(ms / 1000, { maximumFractionDigits: ms < 10_000 ? 1 : 0 });
  return filled(words.settings_seconds, { count });
}

function inDollars(cost) {
  const digits = cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 4 };
  return localNumber(cost, { style: "currency", currency: "USD", ...digits });
}

const field = () => tokensPanel.find("input");

async function make(event) {
  event.preventDefault();
  const label = field().value;
  const refused = tooLong(label, tokensPanel.props.longest);
  if (refused) return tokensPanel.refuse(refused);
  if (!label.trim()) return field().focus();
  tokensPanel.said = "";
  if (!tokensPanel.isAwaited && (await tokensPanel.send("make", { label }))) field().value = "";
}

// Revoke a token, and focus the one in its place.
async function revoke(id) {
  const place = tokens.findIndex((token) => token.id === id);
  tokensPanel.said = "";
  if (!(await controls.send(id, "revoke", { token: id }))) return;
  const next = tokensPanel.element.querySelectorAll("li button")[Math.min(place, tokens.length - 1)];
  (next ?? (mayMake ? field() : document.querySelector("#settings button"))).focus({ preventScroll: true });
}

function tokensView() {
  const addressOf = (path) => new URL(path, document.baseURI).href;
  return html`<section class="stack" aria-labelledby="tokens-title" ?hidden=${!mayMake && !tokens.length}>
    <h3 id="tokens-title">${words.programs_title}</h3>
    <p class="hint">${words.programs_what}</p>
    <form class="stack" autocomplete="off" ?hidden=${!mayMake} @submit=${make}>
      <label class="hint" for="token-label">${words.token_label}</label>
      <div class="row">
        <input id="token-label" type="text" dir="auto" autocomplete="off" required />
        <button class="button primary" type="submit" ?disabled=${tokensPanel.isAwaited}>${words.token_make}</button>
      </div>
    </form>
    ${saidLines(tokensPanel)}
    <div class="stack tokens-made" ?hidden=${!secret}>${keyed(secret, madeToken())}</div>
    <ul class="rows">${repeat(tokens, ({ id }) => id, tokenItem)}</ul>
    <p class="hint">${filled(words.programs_where, { http: addressOf("api/ask"), mcp: addressOf("mcp") })}</p>
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

// Refresh the tokens, without the secret and the confirmation of an earlier action.
function lookAtTokens() {
  secret = "";
  tokensPanel.say("");
  tokensPanel.look();
}

/** Open the dialog and refresh it. */
export function openDialog() {
  dialog.showModal();
  panel.look();
  lookAtTokens();
}

// Erasing everything includes the tokens.
listen("memory", (what) => what === "forgotten_all" && lookAtTokens());
panel.draw();
tokensPanel.draw();
