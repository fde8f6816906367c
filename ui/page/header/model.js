// The chip that says which model answers, and its dialog: what answers, where memory is kept, another model, the language.

const dialog = element.querySelector(".model");
const part = (name) => dialog.querySelector(`.model-${name}`);
const [provider, address, model, key] = ["provider", "address", "name", "key"].map((name) => dialog.querySelector(`#model-${name}`));
const connect = dialog.querySelector("form");
const problem = dialog.querySelector(".problem");
const submit = dialog.querySelector("[type=submit]");
const giveUp = part("give-up");
const OWN_SERVER = "";
const LOOK_AT_TRIAL_MS = 1000;
const OWN_TAB = "noted-own-tab";
let host = {}; // what answers where nobody brought a model
let found = []; // servers of this machine
let keys = []; // variables of this machine that hold one
let lookingAtTrial = 0;
const localPart = part("local");
let local = { missing: "", models: [], download: null };
let asked = ""; // the model of this machine for which something is asked
let refusal = {}; // of such a model: its `name`, and the `sentence`

function sendModel(event, data = {}) {
  askServer(event, data, () => endTrying(words.lost));
  showTrying(true);
}

function showTrying(isTrying) {
  const isStopped = !isTrying && document.activeElement === giveUp;
  submit.disabled = isTrying;
  submit.textContent = isTrying ? words.model_trying : words.model_use;
  giveUp.hidden = !isTrying;
  if (isStopped) submit.focus();
  clearInterval(lookingAtTrial);
  drawLocal();
  if (!isTrying) return;
  problem.hidden = true;
  if (asked || !provider.value) lookingAtTrial = setInterval(() => trigger("check", {}), LOOK_AT_TRIAL_MS);
}

// What a server of one's own does meanwhile.
function showTrial(trying) {
  const doing = words[trying] ?? "";
  if (!submit.disabled || !doing || submit.textContent === doing) return;
  submit.textContent = part("said").textContent = doing;
  for (const shown of dialog.querySelectorAll(".model-doing")) shown.textContent = doing;
}

function endTrying(refused = "") {
  showTrying(false);
  if (asked) {
    refusal = { name: asked, sentence: refused };
    asked = "";
    drawLocal();
    return;
  }
  problem.textContent = refused;
  problem.hidden = !refused;
  if (refused) submit.focus();
}

function stopTrying() {
  trigger("stop_trying", {});
  endTrying(); // at once, although the server may still be loading what asks models
}

function receiveModel(told) {
  if (isAnswer(told)) endTrying(told.refused);
  if (told.refused) return;
  if (told.model) host = told;
  if (told.found) ({ found, keys } = told);
  if (told.local) receiveLocal(told.local);
  const { own } = told;
  showProviders(own);
  showTrial(own.trying);
  if (!own.gone) document.documentElement.dataset.ownModel = own.model;
  if (own.model) sessionStorage.setItem(OWN_TAB, own.tab);
  const name = document.documentElement.dataset.ownModel || host.model || "";
  element.querySelector(".head-model").textContent = name.split("/").at(-1);
  element.querySelector(".head-chip").setAttribute("aria-label", filled(words.model_chip, { model: name.split("/").at(-1) }));
  part("answers").textContent = own.gone || own.note || (own.model ? filled(own.where ? words.model_own_here : words.model_own, own) : host.model_note);
  part("memory").textContent = host.memory;
  part("embedder").textContent = host.embedder;
  part("connect").hidden = !own.allowed;
  localPart.hidden = !host.may_find;
  part("stop").hidden = !own.model && !own.gone;
  tellStart(own);
  if (!dialog.open || !told.done) return;
  part("said").textContent = part("answers").textContent;
  if (own.model) {
    key.value = "";
    dialog.close();
  } else if (told.done === "stop") part("connect").querySelector("summary").focus();
}

function showProviders({ providers, own_server }) {
  if (provider.children.length) return;
  provider.append(...providers.map((name) => Object.assign(make("option", "", name), { value: name })));
  if (own_server) provider.append(Object.assign(make("option", "", words.model_own_server), { value: OWN_SERVER }));
}

// Where a server of one's own is asked, it has an address, and no name before that of the model. Where this machine has a
// key for a provider, no other need be given.
function showProvider() {
  const isOwn = provider.value === OWN_SERVER;
  for (const one of [address, address.labels[0]]) one.hidden = !isOwn;
  const variable = variableOf(provider.value);
  key.placeholder = variable ? filled(words.model_key_set, { variable }) : "";
}

const variableOf = (name) => keys.find((one) => one.provider === name)?.variable;

// The start of a conversation shows what answers, where that is the small model, and what else could.
function tellStart(own) {
  const isSmall = Boolean(host.is_small && !own.model && !own.gone);
  window.noted.models = { isSmall, mayConnect: own.allowed, mayGet: Boolean(host.may_find), found, keys };
  window.dispatchEvent(new CustomEvent("noted:models"));
}

// Looks what is there while the start is in sight, and not before.
function findModels() {
  if (host.may_find && window.noted.models?.isSmall && window.noted.isAtStart) trigger("find", { at: Date.now() });
}

// Opens the dialog with what was chosen at the start, and tries a model of this machine at once.
function connectFrom({ detail }) {
  openDialog();
  if (detail.local) {
    localPart.open = true;
    localPart.querySelector("summary").focus();
    return;
  }
  part("connect").open = true;
  if (detail.provider !== undefined) {
    provider.value = detail.provider;
    address.value = detail.address ?? "";
    model.value = detail.model;
    showProvider();
  }
  if (detail.address) connect.requestSubmit();
  else (model.value ? submit : provider).focus();
}

// It may have gone by itself.
function checkModel() {
  if (hasOwnModel()) trigger("check", {});
}

function openDialog() {
  checkModel();
  dialog.showModal();
  lookAtLocal();
}

const label = (field, text) => (field.labels[0].textContent = text);
element.querySelector("#model-title").textContent = words.model_title;
element.querySelector(".head-chip").setAttribute("aria-label", words.model_title);
part("close").setAttribute("aria-label", words.talks_close);
part("stop").textContent = words.model_stop;
giveUp.textContent = words.stop;
part("connect").querySelector("summary").textContent = words.model_connect;
part("what").textContent = words.model_what;
label(provider, words.model_provider);
label(address, words.model_address);
label(model, words.model_name);
label(key, words.model_key);
showLanguages(dialog.querySelector(".languages"));
element.querySelector(".head-chip").addEventListener("click", openDialog);
part("close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
// Also where it was opened again after the language was chosen, with the focus nowhere before.
dialog.addEventListener("close", () => element.querySelector(".head-chip").focus({ preventScroll: true }));
part("stop").addEventListener("click", () => sendModel("stop"));
giveUp.addEventListener("click", stopTrying);
window.addEventListener("noted:connect", connectFrom);
window.addEventListener("noted:start", findModels);
provider.addEventListener("change", showProvider);
connect.addEventListener("submit", (event) => {
  event.preventDefault();
  if (submit.disabled) return;
  const isOwn = provider.value === OWN_SERVER;
  const before = isOwn ? ["openai/", "ollama_chat/"] : [`${provider.value}/`];
  const name = model.value.trim();
  const isWhole = before.some((start) => name.startsWith(start));
  const told = { model: isWhole ? name : before[0] + name, key: key.value, address: isOwn ? address.value : "" };
  sendModel("use", { ...told, from_environment: !key.value && Boolean(variableOf(provider.value)) });
});
window.addEventListener("noted:memory", ({ detail }) => detail === "forgotten_all" && checkModel());

// After the language was chosen: the dialog in which it was.
function comeBack() {
  if (!history.state?.isLanguageChosen) return;
  history.replaceState(null, "");
  openDialog();
  dialog.querySelector(".language[aria-pressed=true]").focus();
}

// A model is for a page until that is loaded again.
function forgetModel() {
  const left = sessionStorage.getItem(OWN_TAB);
  sessionStorage.removeItem(OWN_TAB);
  if (left) trigger("check", { left });
}
