// The dialog of the head: what answers, where memory is stored, another model.

import { html, live, render } from "../shared/lit.js";
import { hasOwnModel, words } from "../shared/server.js";
import { filled } from "../shared/text.js";
import { models, panel, receiveModel } from "./header.js";
import { localModels, lookAtLocal, receiveLocal } from "./local.js";

const OWN_SERVER = "";
const LOOK_AT_TRIAL_MS = 1000;
const CHANGED = ["use", "stop"];

/** What is tried: a model of this machine by its `name`, else ""; and why the last one was refused. */
export const trial = { name: null, doing: "", refusal: {} };

let provider = null; // the one that is chosen
let said = "";
let looking = 0;
let current = null;

const dialog = () => panel.find(".model");
const find = (selector) => dialog().querySelector(selector);

/** Show the dialog anew. */
export function draw() {
  render(view(), dialog());
}

models.heard = (told) => {
  if (told.local) receiveLocal(told.local);
  provider ??= models.own.providers[0] ?? null;
  if (trial.name !== null) trial.doing = words[models.own.trying] ?? words.model_trying;
  draw();
};

/** Try something with a model (`event`): one of this machine by its `name`, else that of the form. */
export async function tryModel(event, data = {}, name = "") {
  const begun = (current = {});
  Object.assign(trial, { name, doing: words.model_trying, refusal: {} });
  if (name || provider === OWN_SERVER) looking = setInterval(() => panel.send("check"), LOOK_AT_TRIAL_MS);
  draw();
  const told = await panel.ask(event, data);
  if (current === begun) endTrial(told.refused ? { name, sentence: told.refused } : {});
  if (told.refused) return;
  receiveModel(told);
  panel.draw();
  if (!dialog().open || !CHANGED.includes(told.done)) return;
  said = answers();
  draw();
  if (!models.own.model) return find(".model-connect > summary").focus();
  find("#model-key").value = "";
  dialog().close();
}

function endTrial(refusal = {}) {
  const wasStopped = document.activeElement.classList.contains("model-give-up");
  clearInterval(looking);
  current = null;
  Object.assign(trial, { name: null, doing: "", refusal });
  draw();
  if (wasStopped || refusal.name === "") find("[type=submit]").focus();
}

/** End a trial at once, although the server may still be loading what asks models. */
export function stopTrial() {
  panel.ask("stop_trying");
  endTrial();
}

function answers() {
  const { own, host } = models;
  const brought = own.model && filled(own.where ? words.model_own_here : words.model_own, own);
  return own.gone || own.note || brought || host.model_note;
}

function view() {
  const { own, host } = models;
  return html`<div class="model-head">
      <h2 id="model-title">${words.model_title}</h2>
      <button class="button small quiet model-close" type="button" aria-label=${words.talks_close} @click=${() => dialog().close()}>✕</button>
    </div>
    <p class="model-answers">${answers()}</p>
    <p class="hint model-memory">${host.memory}</p>
    <p class="hint model-embedder">${host.embedder}</p>
    <button class="button model-stop" type="button" ?hidden=${!own.model && !own.gone} @click=${() => tryModel("stop")}>${words.model_stop}</button>
    <details class="model-local" ?hidden=${!host.may_find} @toggle=${lookAtLocal}>
      <summary>${words.local_title}</summary>
      ${localModels()}
    </details>
    <details class="model-connect" ?hidden=${!own.allowed}>
      <summary>${words.model_connect}</summary>
      ${connectForm()}
    </details>
    <p class="visually-hidden model-said" role="status">${trial.doing || said}</p>`;
}

// Where a server of one's own is asked, it has an address, and no name before that of the model. Where this machine has a
// key for a provider, no other need be given.
function connectForm() {
  const { own } = models;
  const isOwn = provider === OWN_SERVER;
  const isTrying = trial.name !== null;
  const variable = variableOf(provider);
  const choices = [
    ...own.providers.map((name) => [name, name]),
    ...(own.own_server ? [[OWN_SERVER, words.model_own_server]] : []),
  ];
  const problem = trial.refusal.name === "" ? trial.refusal.sentence : "";
  const choose = ({ target }) => {
    provider = target.value;
    draw();
  };
  return html`<form class="stack" autocomplete="off" @submit=${connect}>
    <label class="entry-label" for="model-provider">${words.model_provider}</label>
    <select id="model-provider" @change=${choose}>
      ${choices.map(([value, label]) => html`<option value=${value} .selected=${live(value === provider)}>${label}</option>`)}
    </select>
    <label class="entry-label" for="model-address" ?hidden=${!isOwn}>${words.model_address}</label>
    <input id="model-address" type="url" placeholder="http://127.0.0.1:11434/v1" autocomplete="off" spellcheck="false" dir="ltr" ?hidden=${!isOwn} />
    <label class="entry-label" for="model-name">${words.model_name}</label>
    <input id="model-name" autocomplete="off" spellcheck="false" dir="ltr" />
    <label class="entry-label" for="model-key">${words.model_key}</label>
    <input id="model-key" type="password" autocomplete="new-password" dir="ltr" placeholder=${variable ? filled(words.model_key_set, { variable }) : ""} />
    <p class="hint model-what">${words.model_what}</p>
    <p class="problem" role="alert" ?hidden=${!problem}>${problem}</p>
    <div class="model-acts">
      <button class="button primary" type="submit" ?disabled=${isTrying}>${isTrying ? trial.doing : words.model_use}</button>
      <button class="button model-give-up" type="button" ?hidden=${!isTrying} @click=${stopTrial}>${words.stop}</button>
    </div>
  </form>`;
}

const variableOf = (name) => models.keys.find((one) => one.provider === name)?.variable;

function connect(event) {
  event.preventDefault();
  if (trial.name !== null) return;
  const isOwn = provider === OWN_SERVER;
  const before = isOwn ? ["openai/", "ollama_chat/"] : [`${provider}/`];
  const name = find("#model-name").value.trim();
  const key = find("#model-key").value;
  const isWhole = before.some((start) => name.startsWith(start));
  const address = isOwn ? find("#model-address").value : "";
  const told = { model: isWhole ? name : before[0] + name, key, address };
  tryModel("use", { ...told, from_environment: !key && Boolean(variableOf(provider)) });
}

dialog().addEventListener("click", ({ target }) => target === dialog() && dialog().close());
dialog().addEventListener("close", () => panel.find(".head-chip").focus({ preventScroll: true }));
models.heard({});

/**
 * Open the dialog with what was `chosen` at the start of a conversation, if anything, and try a model of this machine at once.
 */
export function openDialog(chosen) {
  if (hasOwnModel()) panel.send("check"); // it may have gone by itself
  dialog().showModal();
  lookAtLocal();
  if (chosen.local) {
    find(".model-local").open = true;
    return find(".model-local > summary").focus();
  }
  if (chosen.isForm) find(".model-connect").open = true;
  if (chosen.provider !== undefined) {
    ({ provider } = chosen);
    draw();
    find("#model-address").value = chosen.address ?? "";
    find("#model-name").value = chosen.model;
  }
  if (chosen.address) find("form").requestSubmit();
  else if (chosen.isForm) find(find("#model-name").value ? "[type=submit]" : "#model-provider").focus();
}
