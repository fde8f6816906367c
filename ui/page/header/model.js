// The chip that says which model answers, and its dialog: what answers, where memory is kept, another model, the language.

const dialog = element.querySelector(".model");
const part = (name) => dialog.querySelector(`.model-${name}`);
const [provider, address, model, key] = ["provider", "address", "name", "key"].map((name) => dialog.querySelector(`#model-${name}`));
const connect = dialog.querySelector("form");
const problem = dialog.querySelector(".problem");
const submit = dialog.querySelector("[type=submit]");
const OWN_SERVER = "";
const OWN_TAB = "noted-own-tab";
let host = {}; // what answers where nobody brought a model

function sendModel(event, data = {}) {
  askServer(event, data, () => endTrying(words.lost));
  showTrying(true);
}

function showTrying(isTrying) {
  submit.disabled = isTrying;
  submit.textContent = isTrying ? words.model_trying : words.model_use;
  if (isTrying) problem.hidden = true;
}

function endTrying(refused = "") {
  stopWatching();
  showTrying(false);
  problem.textContent = refused;
  problem.hidden = !refused;
  if (refused) submit.focus();
}

function receiveModel(told) {
  if (isAnswer(told)) endTrying(told.refused);
  if (told.refused) return;
  if (told.model) host = told;
  const { own } = told;
  showProviders(own);
  if (!own.gone) document.documentElement.dataset.ownModel = own.model;
  if (own.model) sessionStorage.setItem(OWN_TAB, own.tab);
  const name = document.documentElement.dataset.ownModel || host.model || "";
  element.querySelector(".head-model").textContent = name.split("/").at(-1);
  element.querySelector(".head-chip").setAttribute("aria-label", filled(words.model_chip, { model: name.split("/").at(-1) }));
  part("answers").textContent = own.gone || (own.model ? filled(words.model_own, { model: own.model }) : host.model_note);
  part("memory").textContent = host.memory;
  part("embedder").textContent = host.embedder;
  part("connect").hidden = !own.allowed;
  part("stop").hidden = !own.model && !own.gone;
  if (!dialog.open || !told.done) return;
  part("said").textContent = part("answers").textContent;
  if (own.model) {
    key.value = "";
    dialog.close();
  } else part("connect").querySelector("summary").focus();
}

function showProviders({ providers, own_server }) {
  if (provider.children.length) return;
  provider.append(...providers.map((name) => Object.assign(make("option", "", name), { value: name })));
  if (own_server) provider.append(Object.assign(make("option", "", words.model_own_server), { value: OWN_SERVER }));
}

// Where a server of one's own is asked, it has an address, and no name before that of the model.
function showAddress() {
  const isOwn = provider.value === OWN_SERVER;
  for (const one of [address, address.labels[0]]) one.hidden = !isOwn;
}

// It may have gone by itself.
function checkModel() {
  if (hasOwnModel()) trigger("check", {});
}

function openDialog() {
  checkModel();
  dialog.showModal();
}

const label = (field, text) => (field.labels[0].textContent = text);
element.querySelector("#model-title").textContent = words.model_title;
element.querySelector(".head-chip").setAttribute("aria-label", words.model_title);
part("close").setAttribute("aria-label", words.talks_close);
part("stop").textContent = words.model_stop;
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
provider.addEventListener("change", showAddress);
connect.addEventListener("submit", (event) => {
  event.preventDefault();
  if (submit.disabled) return;
  const isOwn = provider.value === OWN_SERVER;
  const before = isOwn ? "openai/" : `${provider.value}/`;
  const name = model.value.trim();
  const told = { model: name.startsWith(before) ? name : before + name, key: key.value, address: isOwn ? address.value : "" };
  sendModel("use", told);
});
window.addEventListener("noted:memory", ({ detail }) => detail === "forgotten_all" && checkModel());
window.addEventListener("noted:lost", () => submit.disabled && endTrying(words.lost));

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
