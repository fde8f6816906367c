// The start of a conversation: questions to click, and which model answers, with those that could.

const MOST_FOUND = 5; // models of a server in sight; more are folded
const modelsPart = make("div", "start-models");

function showStart() {
  const isShown = !turnsPart.childElementCount && Boolean(conversation);
  startPart.hidden = !isShown;
  if (window.noted.isAtStart === isShown) return;
  window.noted.isAtStart = isShown;
  if (isShown) window.dispatchEvent(new CustomEvent("noted:start"));
}

// Questions to click.
function exampleButtons(spoken = language) {
  const examples = make("div", "examples");
  examples.setAttribute("role", "group");
  examples.setAttribute("aria-label", words.start_examples);
  for (const question of props.examples[spoken] ?? []) {
    examples.append(makeButton("chip", question, () => {
      send(question);
      focusField();
    }));
    examples.lastChild.dir = "auto";
  }
  return examples;
}

function buildStart() {
  const examples = exampleButtons();
  startPart.append(make("h2", "start-title", words.start_title), make("p", "start-line", words.start_line));
  if (examples.hasChildNodes()) startPart.append(make("p", "hint", words.start_examples), examples);
  startPart.append(modelsPart);
  window.addEventListener("noted:models", drawModels);
  drawModels();
}

let drawnModels = null;

function drawModels() {
  const models = window.noted.models ?? { isSmall: false };
  if (isSame(models, drawnModels)) return;
  drawnModels = models;
  const { isSmall, mayConnect, mayGet, found = [], keys = [] } = models;
  modelsPart.hidden = !isSmall;
  const answers = make("div", "start-acts");
  answers.append(make("p", "hint", words.start_small));
  if (mayConnect) answers.append(connectButton("link accent", words.start_connect, {}));
  if (mayGet) answers.append(connectButton("link accent", words.local_title, { local: true }));
  const offers = keys.map(({ provider, variable, model }) => {
    return connectButton("chip", variable, { provider, model }, filled(words.start_key, { variable, provider }));
  });
  const row = offers.length ? [inRow(words.start_keys, offers)] : [];
  const drawAnew = () => modelsPart.replaceChildren(answers, ...found.map(serverRow), ...row);
  if (isSmall) keepFocus(modelsPart, drawAnew);
}

function serverRow({ name, address, models }) {
  const buttons = models.map((model) => {
    const name = model.slice(model.indexOf("/") + 1);
    return connectButton("chip", name.split("/").at(-1), { provider: "", address, model }, filled(words.start_use, { model: name }));
  });
  return inRow(filled(words.start_found, { server: name }), buttons);
}

function inRow(label, buttons) {
  const row = make("div", "start-row");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", label);
  const chips = make("div", "examples");
  chips.append(...buttons.slice(0, MOST_FOUND));
  row.append(make("p", "hint", label), chips);
  if (buttons.length > MOST_FOUND) {
    const more = make("details", "start-more");
    const folded = make("div", "examples");
    folded.append(...buttons.slice(MOST_FOUND));
    more.append(make("summary", "hint", filled(words.start_more, { count: localNumber(buttons.length - MOST_FOUND) })), folded);
    row.append(more);
  }
  return row;
}

function connectButton(className, label, detail, whole = label) {
  const button = makeButton(className, label, () => window.dispatchEvent(new CustomEvent("noted:connect", { detail })));
  if (whole !== label) Object.assign(button, { title: whole, ariaLabel: whole });
  return button;
}
