// A model of one's own: its key is sent once, and stays on the page no longer than that.

const find = (selector) => element.querySelector(selector);
const panel = find(".own");
const nameField = find(".own-name");
const keyField = find(".own-key");
const problem = find(".problem");
const use = find(".own-use");
const stop = find(".own-stop");

let stopWatching = () => {};

function send(event, data = {}) {
  stopWatching();
  stopWatching = watchServer(() => receive({ refused: words.lost }));
  use.disabled = true;
  trigger(event, { ...data, at: Date.now() });
}

function receive(value) {
  if (!value) return;
  stopWatching();
  use.disabled = false;
  problem.textContent = value.refused ?? "";
  problem.hidden = !value.refused;
  if (value.refused) return;
  panel.classList.remove("unknown");
  panel.hidden = !value.allowed;
  keyField.value = "";
  const sentence = value.model ? filled(words.own_in_use, { model: value.model }) : "";
  find(".own-summary").textContent = sentence || words.own_title;
  find(".own-said").textContent = sentence;
  find(".own-what").textContent = filled(words.own_what, { providers: value.providers.join(", ") });
  stop.hidden = !value.model;
}

find(".own-summary").textContent = words.own_title;
find(".own-name-label").textContent = words.own_name;
find(".own-key-label").textContent = words.own_key;
nameField.placeholder = "provider/model";
use.textContent = words.own_use;
stop.textContent = words.own_stop;
find(".own-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!use.disabled) send("use", { model: nameField.value, key: keyField.value });
});
stop.addEventListener("click", () => {
  send("stop");
  find(".own-summary").focus();
});
watch("value", () => receive(props.value));
receive(props.value);
