// The dialog to connect a model: the current one, those found on this machine, local models, and a form.

import { html, live, nothing, render, repeat } from "../shared/lit.js";
import { button, closeOutside, debounced } from "../shared/panel.js";
import { hasOwnModel, words } from "../shared/server.js";
import { filled, localBytes } from "../shared/text.js";
import { models, panel, receiveModel } from "./header.js";

const OWN_SERVER = "";
const LOOK_AT_MS = 1000;
const CHANGED = ["use", "stop"];

// The trial: `name` of a model found on this machine, "" for that of the form; and why the last one was refused.
const trial = { name: null, doing: "", refusal: {} };

let provider = null; // the selected one
let listed = []; // models that its server lists
let asked = 0; // counts list requests, to discard old responses
let said = "";
let looking = 0;
let current = null;
let local = { missing: "", models: [], download: null };
let lookingAtLocal = 0;

const listLater = debounced((number) => number === asked && listModels(), 300);
const listSoon = () => listLater(asked); // unless a trial begins
const dialog = () => panel.find(".model");
const find = (selector) => dialog().querySelector(selector);

// Render the dialog.
function draw() {
  render(view(), dialog());
}

models.heard = (told) => {
  if (told.local) receiveLocal(told.local);
  provider ??= models.own.providers[0] ?? null;
  if (trial.name !== null) trial.doing = words[models.own.trying] ?? words.model_trying;
  draw();
};

// Try a model by an event: one found on this machine by its `name`, else that of the form.
async function tryModel(event, data = {}, name = "") {
  const begun = (current = {});
  Object.assign(trial, { name, doing: words.model_trying, refusal: {} });
  if (name || provider === OWN_SERVER) looking = setInterval(() => panel.send("check"), LOOK_AT_MS);
  draw();
  const told = await panel.ask(event, data);
  if (told.models?.length && !name) listed = told.models;
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
  if (wasStopped || refusal.name === "") find(listed.length ? "#model-name" : "[type=submit]").focus();
}

// Cancel a trial at once, although the server may still load its client.
function stopTrial() {
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
  return html`<div class="spread">
      <h2 id="model-title">${words.model_title}</h2>
      ${button("button small quiet", "✕", () => dialog().close(), { name: words.talks_close })}
    </div>
    <p>${answers()}</p>
    ${button("button", words.model_stop, () => tryModel("stop"), { isHidden: !own.model && !own.gone })}
    ${foundServers()}
    <details class="model-local" ?hidden=${!host.may_find} @toggle=${lookAtLocal}>
      <summary>${words.local_title}</summary>
      ${localModels()}
    </details>
    <details class="model-connect" ?hidden=${!own.allowed}>
      <summary>${words.model_connect}</summary>
      ${connectForm()}
    </details>
    <p class="hint">${host.memory} ${host.embedder}</p>
    <p class="visually-hidden" role="status">${trial.doing || said}</p>`;
}

function foundServers() {
  if (!models.found.length) return nothing;
  return html`<section class="model-found" aria-labelledby="model-found-title">
    <h3 id="model-found-title">${words.start_found}</h3>
    <ul class="rows">${models.found.map(serverRow)}</ul>
  </section>`;
}

function serverRow({ name, address, models: names }) {
  const id = `model-of-${name.replaceAll(/\W/g, "")}`;
  const use = () => useFound(address, find(`#${id}`).value);
  const option = (model) => html`<option value=${model}>${model.slice(model.indexOf("/") + 1)}</option>`;
  const problem = trial.refusal.name === address && trial.refusal.sentence;
  return html`<li class="model-row" data-name=${address}>
    <label class="entry-label" for=${id}>${name}</label>
    <div class="row"><select id=${id} dir="ltr">${names.map(option)}</select>${tryButton(address, words.start_use, name, use)}${doing(address)}</div>
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
  </li>`;
}

function useFound(address, model) {
  if (trial.name === null) tryModel("use", { model, key: "", address }, address);
}

// Render a button to try the model with an `id`, or to stop its trial, which keeps the focus.
function tryButton(id, label, name, use) {
  if (trial.name === id) return button("button small", words.stop, stopTrial, { about: name });
  return button("button small primary", label, use, { about: name, isDisabled: trial.name !== null });
}

const doing = (id) => (trial.name === id ? html`<span class="hint">${trial.doing}</span>` : nothing);

// Apply an update of the local models and the download.
function receiveLocal(told) {
  local = told;
  clearTimeout(lookingAtLocal);
  if (told.download?.is_running) lookingAtLocal = setTimeout(lookAtLocal, LOOK_AT_MS);
}

// Fetch the local models while they are visible.
function lookAtLocal() {
  if (panel.find(".model").open && panel.find(".model-local").open) panel.send("local");
}

function localModels() {
  const { missing, models: known } = local;
  return html`<p class="hint">${missing || words.local_what}</p>
    <ul class="rows">${repeat(known, ({ name }) => name, modelRow)}</ul>`;
}

function modelRow({ name, is_here: isHere, bytes, memory, known }) {
  const download = local.download?.name === name && !isHere ? local.download : null;
  const about = [
    bytes && localBytes(bytes),
    memory && filled(words.local_memory, { size: localBytes(memory) }),
    known.tried === false && words.local_not_tried,
  ];
  const problem = (trial.refusal.name === name && trial.refusal.sentence) || download?.problem;
  return html`<li class="model-row" data-name=${name}>
    <h3>${name}</h3>
    <p class="hint">${about.filter(Boolean).join(" · ")}</p>
    ${known.licence ? html`<p class="hint" lang="en">${known.licence} · ${known.languages}</p>` : nothing}
    ${download?.is_running || download?.here ? progress(name, download) : nothing}
    ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <div class="row">${modelAct(name, isHere, download)}${doing(name)}</div>
  </li>`;
}

function progress(name, { here, whole }) {
  const sizes = { here: localBytes(here), whole: localBytes(whole ?? 0) };
  return html`<progress aria-label=${name} max=${whole || nothing} value=${whole ? here : nothing}></progress>
    <p class="hint">${whole ? filled(words.local_progress, sizes) : words.local_begins}</p>`;
}

function modelAct(name, isHere, download) {
  const use = () => tryModel("use", { model: `local/${name}`, key: "", address: "" }, name);
  if (isHere) return tryButton(name, words.local_use, name, use);
  const stop = () => ask(name, "stop_getting");
  if (download?.is_running) return button("button small", words.stop, stop, { about: name });
  const isDisabled = trial.name !== null || Boolean(local.download?.is_running);
  const get = () => ask(name, "get", { model: name });
  return button("button small", words.local_get, get, { about: name, isDisabled });
}

async function ask(name, event, data = {}) {
  const told = await panel.ask(event, data);
  trial.refusal = told.refused ? { name, sentence: told.refused } : {};
  if (told.local) receiveLocal(told.local);
  draw();
}

// The user's own server needs an address, and no provider before the model name. A provider with a key in the
// environment needs no other.
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
    listed = [];
    clearRefusal();
    listSoon();
  };
  return html`<form class="stack" autocomplete="off" @submit=${connect} @input=${clearRefusal}>
    <label class="entry-label" for="model-provider">${words.model_provider}</label>
    <select id="model-provider" @input=${choose}>
      ${choices.map(([value, label]) => html`<option value=${value} .selected=${live(value === provider)}>${label}</option>`)}
    </select>
    <label class="entry-label" for="model-address" ?hidden=${!isOwn}>${words.model_address}</label>
    <input id="model-address" inputmode="url" ?required=${isOwn} placeholder="http://127.0.0.1:11434/v1" autocomplete="off" spellcheck="false" dir="ltr" ?hidden=${!isOwn} @change=${listSoon} />
    <label class="entry-label" for="model-name">${words.model_name}</label>
    <input id="model-name" list="model-names" autocomplete="off" spellcheck="false" dir="ltr" ?required=${!isOwn} placeholder=${listed.length ? words.model_choose : (panel.props.usual[provider] ?? "")} />
    <datalist id="model-names">${listed.map((name) => html`<option value=${name}></option>`)}</datalist>
    <label class="entry-label" for="model-key">${words.model_key}</label>
    <input id="model-key" type="password" autocomplete="new-password" dir="ltr" ?required=${!isOwn && !variable} placeholder=${variable ? filled(words.model_key_set, { variable }) : ""}
      @change=${listSoon} />
    <p class="hint">${words.model_what}</p>
    <div class="row">
      <button class="button primary" type="submit" ?disabled=${isTrying}>${isTrying ? trial.doing : words.model_use}</button>
      ${button("button model-give-up", words.stop, stopTrial, { isHidden: !isTrying })}
    </div>
    <p class="problem" role="alert" ?hidden=${!problem}>${problem}</p>
  </form>`;
}

const variableOf = (name) => models.keys.find((one) => one.provider === name)?.variable;

function clearRefusal() {
  trial.refusal = {};
  draw();
}

// Without a model name, use the one that the user's own server lists.
function filledIn() {
  const isOwn = provider === OWN_SERVER;
  const before = isOwn ? ["openai/", "ollama_chat/"] : [`${provider}/`];
  const name = find("#model-name").value.trim();
  const key = find("#model-key").value;
  const isWhole = before.some((start) => name.startsWith(start));
  const address = isOwn ? find("#model-address").value.trim() : "";
  const told = { model: isWhole ? name : before[0] + name, key, address };
  return { ...told, from_environment: !key && Boolean(variableOf(provider)) };
}

function connect(event) {
  event.preventDefault();
  if (trial.name !== null) return;
  asked++; // a list still being fetched is outdated
  tryModel("use", filledIn());
}

// For the local person: fetch the models of a server before one is chosen, or show why that fails.
async function listModels() {
  const { address, key, from_environment: takesKey, model } = filledIn();
  const isKnown = provider === OWN_SERVER ? address : key || takesKey;
  if (!models.own.own_server || !isKnown || trial.name !== null) return;
  const number = ++asked;
  const told = await panel.ask("list_models", { ...filledIn(), model: model.slice(0, model.indexOf("/") + 1) });
  if (number !== asked || trial.name !== null) return;
  listed = told.models ?? [];
  trial.refusal = told.refused ? { name: "", sentence: told.refused } : {};
  if (listed.length === 1 && !find("#model-name").value) [find("#model-name").value] = listed;
  draw();
}

closeOutside(dialog());
dialog().addEventListener("close", () => panel.find(".head-chip").focus({ preventScroll: true }));
models.heard({});

/** Open the dialog with `chosen` fields, and try a chosen model of this machine at once. */
export function openDialog(chosen) {
  if (hasOwnModel()) panel.send("check"); // it may have expired
  if (models.host.may_find && !models.getBytes) panel.send("find");
  dialog().showModal();
  lookAtLocal();
  if (chosen.local) {
    find(".model-local").open = true;
    return find(".model-local > summary").focus();
  }
  if (chosen.address) {
    useFound(chosen.address, chosen.model);
    return find(`[data-name="${chosen.address}"] button`)?.focus();
  }
  const isForm = chosen.isForm && !models.found.length;
  if (isForm || chosen.provider) find(".model-connect").open = true;
  if (chosen.provider) {
    ({ provider } = chosen);
    draw();
    find("#model-name").value = chosen.model;
    listModels();
  }
  if (isForm || chosen.provider) find(find("#model-name").value ? "[type=submit]" : "#model-provider").focus();
}
