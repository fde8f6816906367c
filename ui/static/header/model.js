// The chip that says which model answers, and its dialog: what answers, where memory is stored, another model, the language.

import { html, live } from "../shared/lit.js";
import { hasOwnModel, listen, noted, tell, words } from "../shared/server.js";
import { filled } from "../shared/text.js";
import { languageButtons } from "./languages.js";
import { localModels, lookAtLocal, receiveLocal } from "./local.js";

const OWN_SERVER = "";
const LOOK_AT_TRIAL_MS = 1000;
const OWN_TAB = "noted-own-tab";
const CHANGED = ["use", "stop"];

/** What the head knows of models; `trial` is the model that is tried: of this machine by its name, else "". */
export const models = {
  panel: null,
  trial: null,
  doing: "",
  refusal: {},
  local: { missing: "", models: [], download: null },
};

let host = {}; // what answers where nobody brought a model
let own = { model: "", gone: "", note: "", where: "", providers: [], allowed: false };
let found = []; // servers of this machine
let keys = []; // variables of this machine that hold one
let provider = null; // the one that is chosen
let said = "";
let looking = 0;

const find = (selector) => models.panel.find(`.model ${selector}`);
const dialog = () => models.panel.find(".model");
const shortName = (name) => name.split("/").at(-1);

/** Take in what the server tells of models. */
export function receiveModel(told) {
  if (told.model) host = told;
  if (told.found) ({ found, keys } = told);
  if (told.local) receiveLocal(told.local);
  own = told.own ?? own;
  provider ??= own.providers[0] ?? null;
  models.doing = models.trial === null ? "" : (words[own.trying] ?? words.model_trying);
  if (!own.gone) document.documentElement.dataset.ownModel = own.model;
  if (own.model) sessionStorage.setItem(OWN_TAB, own.tab);
  // The start of a conversation shows what answers, where that is the small model, and what else could.
  const isSmall = Boolean(host.is_small && !own.model && !own.gone);
  noted.models = { isSmall, mayConnect: own.allowed, mayGet: Boolean(host.may_find), found, keys };
  tell("models");
  if (told.model) findModels();
}

/** Try something with a model (`event`): one of this machine by its `name`, else that of the form. */
export async function tryModel(event, data = {}, name = "") {
  Object.assign(models, { trial: name, doing: words.model_trying, refusal: {} });
  const trial = {};
  models.current = trial;
  if (name || provider === OWN_SERVER) looking = setInterval(() => models.panel.send("check"), LOOK_AT_TRIAL_MS);
  models.panel.draw();
  const told = await models.panel.ask(event, data);
  if (models.current === trial) endTrial(told.refused ? { name, sentence: told.refused } : {});
  if (told.refused) return;
  receiveModel(told);
  models.panel.draw();
  if (!dialog().open || !CHANGED.includes(told.done)) return;
  said = answers();
  if (own.model) {
    find("#model-key").value = "";
    dialog().close();
  } else find(".model-connect > summary").focus();
  models.panel.draw();
}

function endTrial(refusal = {}) {
  const wasStopped = document.activeElement?.classList.contains("model-give-up");
  clearInterval(looking);
  Object.assign(models, { trial: null, doing: "", refusal, current: null });
  models.panel.draw();
  if (wasStopped || refusal.name === "") find("[type=submit]").focus();
}

/** End a trial at once, although the server may still be loading what asks models. */
export function stopTrial() {
  models.panel.ask("stop_trying");
  endTrial();
}

/** The chip. */
export function chip() {
  const name = shortName(document.documentElement.dataset.ownModel || host.model || "");
  const label = name ? filled(words.model_chip, { model: name }) : words.model_title;
  return html`<button class="button head-chip" type="button" aria-haspopup="dialog" aria-label=${label} @click=${openDialog}><span class="head-model">${name}</span></button>`;
}

const answers = () =>
  own.gone ||
  own.note ||
  (own.model ? filled(own.where ? words.model_own_here : words.model_own, own) : host.model_note);

/** The dialog. */
export function modelDialog() {
  const close = () => dialog().close();
  // Also where it was opened again after the language was chosen, with the focus nowhere before.
  const closed = () => models.panel.find(".head-chip").focus({ preventScroll: true });
  return html`<dialog class="model" aria-labelledby="model-title" @click=${({ target }) => target === dialog() && close()} @close=${closed}>
    <div class="model-head">
      <h2 id="model-title">${words.model_title}</h2>
      <button class="button small quiet model-close" type="button" aria-label=${words.talks_close} @click=${close}>✕</button>
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
    <nav class="languages" aria-label=${words.language}>${languageButtons()}</nav>
    <p class="visually-hidden model-said" role="status">${models.doing || said}</p>
  </dialog>`;
}

// Where a server of one's own is asked, it has an address, and no name before that of the model. Where this machine has a
// key for a provider, no other need be given.
function connectForm() {
  const isOwn = provider === OWN_SERVER;
  const isTrying = models.trial !== null;
  const variable = variableOf(provider);
  const choices = [
    ...own.providers.map((name) => [name, name]),
    ...(own.own_server ? [[OWN_SERVER, words.model_own_server]] : []),
  ];
  const problem = models.refusal.name === "" ? models.refusal.sentence : "";
  const choose = ({ target }) => {
    provider = target.value;
    models.panel.draw();
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
      <button class="button primary" type="submit" ?disabled=${isTrying}>${isTrying ? models.doing : words.model_use}</button>
      <button class="button model-give-up" type="button" ?hidden=${!isTrying} @click=${stopTrial}>${words.stop}</button>
    </div>
  </form>`;
}

const variableOf = (name) => keys.find((one) => one.provider === name)?.variable;

function connect(event) {
  event.preventDefault();
  if (models.trial !== null) return;
  const isOwn = provider === OWN_SERVER;
  const before = isOwn ? ["openai/", "ollama_chat/"] : [`${provider}/`];
  const name = find("#model-name").value.trim();
  const key = find("#model-key").value;
  const isWhole = before.some((start) => name.startsWith(start));
  const address = isOwn ? find("#model-address").value : "";
  const told = { model: isWhole ? name : before[0] + name, key, address };
  tryModel("use", { ...told, from_environment: !key && Boolean(variableOf(provider)) });
}

function openDialog() {
  if (hasOwnModel()) models.panel.send("check"); // it may have gone by itself
  dialog().showModal();
  lookAtLocal();
}

// Opens the dialog with what was chosen at the start, and tries a model of this machine at once.
function connectFrom(chosen) {
  openDialog();
  if (chosen.local) {
    find(".model-local").open = true;
    find(".model-local > summary").focus();
    return;
  }
  find(".model-connect").open = true;
  if (chosen.provider !== undefined) {
    ({ provider } = chosen);
    models.panel.draw();
    find("#model-address").value = chosen.address ?? "";
    find("#model-name").value = chosen.model;
  }
  if (chosen.address) find("form").requestSubmit();
  else find(find("#model-name").value ? "[type=submit]" : "#model-provider").focus();
}

// Looks what is there while the start is in sight, and not before.
function findModels() {
  if (host.may_find && noted.models?.isSmall && noted.isAtStart) models.panel.send("find");
}

listen("connect", connectFrom);
listen("start", findModels);
listen("memory", (what) => what === "forgotten_all" && hasOwnModel() && models.panel.send("check"));

/** Open the dialog again in which the language was chosen. */
export function comeBack() {
  if (!history.state?.isLanguageChosen) return;
  history.replaceState(null, "");
  openDialog();
  find(".language[aria-pressed=true]").focus();
}

/** A model is for a page until that is loaded again. */
export function forgetModel() {
  const left = sessionStorage.getItem(OWN_TAB);
  sessionStorage.removeItem(OWN_TAB);
  if (left) models.panel.send("check", { left });
}
