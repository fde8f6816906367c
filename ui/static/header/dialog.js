// The dialog to connect a model: the current one, those found on this machine, local models, and a form.

import { html, live, nothing, render, repeat } from "../shared/lit.js";
import { button, closeButton, debounced } from "../shared/panel.js";
import { hasOwnModel, store, stored, words } from "../shared/server.js";
import { filled, localBytes } from "../shared/text.js";
import { models, panel, receiveModel } from "./header.js";

const OWN_SERVER = "";
const FORM = "";
const LAST = "noted-last-model"; // what was connected last in this browser, without its key
const LOOK_AT_MS = 1000;
const dialog = panel.find(".model");
const find = (selector) => dialog.querySelector(selector);

// The trial: `id` of a server or model of this machine, or FORM; null without one. Why the last was refused, with its id.
let trial = { id: null, doing: "" };
let refusal = { id: null, sentence: "" };
const last = JSON.parse(stored(LAST) ?? "{}");
let provider = last.provider ?? null; // the selected one
let listed = []; // models that its server lists
let asked = 0; // counts list requests, to discard old responses
let said = "";
let looking = 0;
let local = { missing: "", models: [], download: null };
let lookingAtLocal = 0;

const listLater = debounced((number) => number === asked && listModels(), 300);
const listSoon = () => listLater(asked); // unless a trial begins
const draw = () => render(view(), dialog);
const refusedOf = (id) => (refusal.id === id ? refusal.sentence : "");

function refuse(id, sentence = "") {
  refusal = { id, sentence };
  draw();
}

models.heard = (told) => {
  if (told.local) receiveLocal(told.local);
  const { providers, own_server: takesServer } = models.own;
  if (![...providers, ...(takesServer ? [OWN_SERVER] : [])].includes(provider)) provider = providers[0] ?? null;
  if (trial.id !== null) trial.doing = words[models.own.trying] ?? words.model_trying;
  draw();
};

// Try a model by an event: one of this machine by its `id`, else that of the form.
async function tryModel(event, data = {}, id = FORM) {
  const begun = (trial = { id, doing: words.model_trying });
  if (id || provider === OWN_SERVER) looking = setInterval(() => panel.send("check"), LOOK_AT_MS);
  refuse(id);
  const told = await panel.ask(event, data);
  if (told.models?.length && id === FORM) listed = told.models;
  if (trial === begun) endTrial(id, told.refused);
  if (told.refused) return;
  receiveModel(told);
  panel.draw();
  if (!dialog.open || !["use", "stop"].includes(told.done)) return;
  said = answers();
  draw();
  if (!models.own.model) return find(".model-connect > summary").focus();
  if (id === FORM) rememberForm();
  find("#model-key").value = "";
  dialog.close();
}

function rememberForm() {
  const [name, address] = ["#model-name", "#model-address"].map((field) => find(field).value);
  store(LAST, JSON.stringify({ provider, name, address }));
}

function endTrial(id, sentence = "") {
  const wasStopped = document.activeElement.classList.contains("model-give-up");
  clearInterval(looking);
  trial = { id: null, doing: "" };
  refuse(id, sentence);
  if (wasStopped || (id === FORM && sentence)) find(listed.length ? "#model-name" : "[type=submit]").focus();
}

// Cancel a trial at once, although the server may still load its client.
function stopTrial() {
  panel.ask("stop_trying");
  endTrial(trial.id);
}

function answers() {
  const { own, host } = models;
  const brought = own.model && filled(own.where ? words.model_own_here : words.model_own, own);
  return own.gone || own.note || brought || host.model_note;
}

function view() {
  const { own, host, found } = models;
  return html`<div class="spread"><h2 id="model-title">${words.model_title}</h2>${closeButton(dialog)}</div>
    <p>${answers()}</p>
    <div class="buttons" ?hidden=${!own.model && !own.gone}>${button("button", words.model_stop, () => tryModel("stop"))}</div>
    <section aria-labelledby="model-found-title" ?hidden=${!found.length}>
      <h3 id="model-found-title">${words.start_found}</h3>
      <ul class="rows">${found.map(serverItem)}</ul>
    </section>
    <details class="model-local" ?hidden=${!host.may_find} @toggle=${lookAtLocal}>
      <summary>${words.local_title}</summary>
      <p class="hint">${local.missing || words.local_what}</p>
      <ul class="rows">${repeat(local.models, ({ name }) => name, modelItem)}</ul>
    </details>
    <details class="model-connect" ?hidden=${!own.allowed}>
      <summary>${words.model_connect}</summary>
      ${connectForm()}
    </details>
    <p class="hint">${host.memory}</p>
    <p class="visually-hidden" role="status">${trial.doing || said}</p>`;
}

// Render a server or model of this machine: what is known of it, its actions, and why the last one was refused.
function item(id, about, acts, problem = refusedOf(id)) {
  return html`<li class="stack" data-name=${id}>
    ${about} ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    <div class="row">${acts}${trial.id === id ? html`<span class="hint">${trial.doing}</span>` : nothing}</div>
  </li>`;
}

// Render a button to try the model with an `id`, or to stop its trial, which keeps the focus.
function tryButton(id, label, about, use) {
  if (trial.id === id) return button("button small", words.stop, stopTrial, { about });
  return button("button small primary", label, use, { about, isDisabled: trial.id !== null });
}

function serverItem({ name, address, models: names }) {
  const id = `model-of-${name.replaceAll(/\W/g, "")}`;
  const option = (model) => html`<option value=${model}>${model.slice(model.indexOf("/") + 1)}</option>`;
  const use = () => useFound(address, find(`#${id}`).value);
  return item(address, html`<label class="hint" for=${id}>${name}</label>`, [
    html`<select id=${id} dir="ltr">${names.map(option)}</select>`,
    tryButton(address, words.start_use, name, use),
  ]);
}

function useFound(address, model) {
  if (trial.id === null) tryModel("use", { model, key: "", address }, address);
}

// Apply an update of the local models and the download.
function receiveLocal(told) {
  local = told;
  clearTimeout(lookingAtLocal);
  if (told.download?.is_running) lookingAtLocal = setTimeout(lookAtLocal, LOOK_AT_MS);
}

// Fetch the local models while they are visible.
function lookAtLocal() {
  if (dialog.open && find(".model-local").open) panel.send("local");
}

function modelItem({ name, is_here: isHere, bytes, memory, known }) {
  const download = local.download?.name === name && !isHere ? local.download : null;
  const facts = [
    bytes && localBytes(bytes),
    memory && filled(words.local_memory, { size: localBytes(memory) }),
    known.tried === false && words.local_not_tried,
  ];
  const about = html`<h3>${name}</h3>
    <p class="hint">${facts.filter(Boolean).join(" · ")}</p>
    ${known.licence ? html`<p class="hint" lang="en">${known.licence} · ${known.languages}</p>` : nothing}
    ${download?.is_running || download?.here ? progress(name, download) : nothing}`;
  return item(name, about, modelAct(name, isHere, download), refusedOf(name) || download?.problem);
}

function progress(name, { here, whole }) {
  const sizes = { here: localBytes(here), whole: localBytes(whole ?? 0) };
  return html`<progress aria-label=${name} max=${whole || nothing} value=${whole ? here : nothing}></progress>
    <p class="hint">${whole ? filled(words.local_progress, sizes) : words.local_begins}</p>`;
}

function modelAct(name, isHere, download) {
  const use = () => tryModel("use", { model: `local/${name}`, key: "", address: "" }, name);
  if (isHere) return tryButton(name, words.local_use, name, use);
  const ask = async (event, data = {}) => {
    const told = await panel.ask(event, data);
    if (told.local) receiveLocal(told.local);
    refuse(name, told.refused);
  };
  if (download?.is_running) return button("button small", words.stop, () => ask("stop_getting"), { about: name });
  const isDisabled = trial.id !== null || Boolean(local.download?.is_running);
  return button("button small", words.local_get, () => ask("get", { model: name }), { about: name, isDisabled });
}

// The user's own server needs an address, and no provider before the model name. A provider with a key in the
// environment needs no other.
function connectForm() {
  const { own } = models;
  const isOwn = provider === OWN_SERVER;
  const isTrying = trial.id !== null;
  const variable = variableOf(provider);
  const choices = own.providers.map((name) => [name, name]);
  if (own.own_server) choices.push([OWN_SERVER, words.model_own_server]);
  const choose = ({ target }) => {
    provider = target.value;
    listed = [];
    refuse(FORM);
    listSoon();
  };
  return html`<form class="stack" autocomplete="off" @submit=${connect} @input=${() => refuse(FORM)}>
    <label class="hint" for="model-provider">${words.model_provider}</label>
    <select id="model-provider" @input=${choose}>
      ${choices.map(([value, label]) => html`<option value=${value} .selected=${live(value === provider)}>${label}</option>`)}
    </select>
    <label class="hint" for="model-address" ?hidden=${!isOwn}>${words.model_address}</label>
    <input id="model-address" inputmode="url" ?required=${isOwn} placeholder="http://127.0.0.1:11434/v1" autocomplete="off" spellcheck="false" dir="ltr" value=${last.address ?? ""} ?hidden=${!isOwn} @change=${listSoon} />
    <label class="hint" for="model-name">${words.model_name}</label>
    <input id="model-name" list="model-names" value=${last.name ?? ""} autocomplete="off" spellcheck="false" dir="ltr" ?required=${!isOwn} placeholder=${listed.length ? words.model_choose : (panel.props.usual[provider] ?? "")} />
    <datalist id="model-names">${listed.map((name) => html`<option value=${name}></option>`)}</datalist>
    <label class="hint" for="model-key">${words.model_key}</label>
    <input id="model-key" type="password" autocomplete="new-password" dir="ltr" ?required=${!isOwn && !variable} placeholder=${variable ? filled(words.model_key_set, { variable }) : ""}
      @change=${listSoon} />
    <p class="hint">${words.model_what}</p>
    <div class="row">
      <button class="button primary" type="submit" ?disabled=${isTrying}>${isTrying ? trial.doing : words.model_use}</button>
      ${button("button model-give-up", words.stop, stopTrial, { isHidden: !isTrying })}
    </div>
    <p class="problem" role="alert" ?hidden=${!refusedOf(FORM)}>${refusedOf(FORM)}</p>
  </form>`;
}

const variableOf = (name) => models.keys.find((one) => one.provider === name)?.variable;

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
  if (trial.id !== null) return;
  asked++; // a list still being fetched is outdated
  tryModel("use", filledIn());
}

// For the local person: fetch the models of a server before one is chosen, or show why that fails.
async function listModels() {
  const { address, key, from_environment: takesKey, model } = filledIn();
  const isKnown = provider === OWN_SERVER ? address : key || takesKey;
  if (!models.own.own_server || !isKnown || trial.id !== null) return;
  const number = ++asked;
  const told = await panel.ask("list_models", { ...filledIn(), model: model.slice(0, model.indexOf("/") + 1) });
  if (number !== asked || trial.id !== null) return;
  listed = told.models ?? [];
  if (listed.length === 1 && !find("#model-name").value) [find("#model-name").value] = listed;
  refuse(FORM, told.refused);
}

dialog.addEventListener("close", () => panel.find(".head-chip").focus({ preventScroll: true }));
models.heard({});

/** Open the dialog with `chosen` fields, and try a chosen model of this machine at once. */
export function openDialog(chosen) {
  if (hasOwnModel()) panel.send("check"); // it may have expired
  if (models.host.may_find && !models.getBytes) panel.send("find");
  dialog.showModal();
  lookAtLocal();
  if (chosen.local) {
    find(".model-local").open = true;
    return find(".model-local > summary").focus();
  }
  if (chosen.address) {
    useFound(chosen.address, chosen.model);
    return find(`[data-name="${chosen.address}"] button`)?.focus();
  }
  if (chosen.provider) {
    ({ provider } = chosen);
    draw();
    find("#model-name").value = chosen.model;
    listModels();
  } else if (!chosen.isForm || models.found.length) {
    return;
  }
  find(".model-connect").open = true;
  find(find("#model-name").value ? "[type=submit]" : "#model-provider").focus();
}
