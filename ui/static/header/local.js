// Local models in the dialog: installed ones to use, and others to download.

import { html, nothing, repeat } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { filled, localBytes } from "../shared/text.js";
import { act, acting, draw, trial, tryButton, tryModel } from "./dialog.js";
import { panel } from "./header.js";

const LOOK_MS = 1000;
let local = { missing: "", models: [], download: null };
let looking = 0;

/** Apply an update of the models and the download. */
export function receiveLocal(told) {
  local = told;
  clearTimeout(looking);
  if (told.download?.is_running) looking = setTimeout(lookAtLocal, LOOK_MS);
}

/** Fetch the models while they are visible. */
export function lookAtLocal() {
  if (panel.find(".model").open && panel.find(".model-local").open) panel.send("local");
}

/** Render the list. */
export function localModels() {
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
    <div class="row">${modelAct(name, isHere, download)}</div>
  </li>`;
}

function progress(name, { here, whole }) {
  const sizes = { here: localBytes(here), whole: localBytes(whole ?? 0) };
  const bar = whole
    ? html`<progress class="progress-bar" aria-label=${name} max=${whole} value=${here}></progress>`
    : html`<progress class="progress-bar" aria-label=${name}></progress>`;
  return html`${bar}<p class="hint">${whole ? filled(words.local_progress, sizes) : words.local_begins}</p>`;
}

function modelAct(name, isHere, download) {
  const use = () => tryModel("use", { model: `local/${name}`, key: "", address: "" }, name);
  if (isHere) return tryButton(name, words.local_use, name, use);
  if (download?.is_running) return acting(act(words.stop, name, () => ask(name, "stop_getting")));
  const isBusy = trial.name !== null || Boolean(local.download?.is_running);
  return acting(act(words.local_get, name, () => ask(name, "get", { model: name }), isBusy));
}

async function ask(name, event, data = {}) {
  const told = await panel.ask(event, data);
  trial.refusal = told.refused ? { name, sentence: told.refused } : {};
  if (told.local) receiveLocal(told.local);
  draw();
}
