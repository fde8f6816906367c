// A text is read, a few sentences at a time; what it says of things can be ticked and kept. Stop ends the reading.

const find = (selector) => element.querySelector(selector);
const text = find("textarea");
const said = find(".drawer-said");
const problem = find(".problem");
const list = find(".learn-sentences");
let stopWatching = () => {};
let waiting = []; // sentences that are not read yet
let total = 0;
let isReading = false;

const called = (name) => ({ I: words.keep_you, we: words.keep_we })[name] ?? name;

function send(event, data = {}) {
  stopWatching();
  stopWatching = watchServer(() => refuse(words.lost));
  trigger(event, { ...data, at: Date.now() });
}

function refuse(sentence) {
  stopWatching();
  problem.textContent = sentence;
  problem.hidden = !sentence;
  if (sentence) end();
}

function receive(value) {
  if (!value) return;
  refuse(value.refused ?? "");
  if (value.refused) return;
  if (value.parted) return begin(value.parted);
  if (value.read) return goOn(value);
  if (value.kept !== undefined) showKept(value);
}

function begin(sentences) {
  waiting = sentences;
  total = sentences.length;
  isReading = true;
  list.replaceChildren();
  showButtons();
  next();
}

function next() {
  said.textContent = filled(words.learn_progress, { done: localNumber(total - waiting.length), of: localNumber(total) });
  if (waiting.length) send("read", { sentences: waiting.slice(0, props.at_once) });
  else end();
}

function goOn({ read, why }) {
  if (!isReading) return; // stopped meanwhile
  waiting = waiting.slice(read.length);
  list.append(...read.filter(({ triples }) => triples.length).map(sentence));
  if (why) refuse(why);
  else next();
}

function end() {
  const wasReading = isReading;
  isReading = false;
  showButtons();
  if (!wasReading) return;
  const count = list.querySelectorAll("input").length;
  said.textContent = count ? filled(words.learn_found, { count: localNumber(count) }) : words.learn_nothing;
}

function sentence({ text: told, triples }) {
  const item = make("li", "learn-sentence");
  item.append(makeWritten("q", "", told));
  for (const { subject, relation, object } of triples) {
    const label = make("label", "learn-triple");
    const box = make("input");
    box.type = "checkbox";
    box.checked = true;
    box.value = [subject, relation, object].join(" | ");
    box.dataset.sentence = told;
    label.append(box, " ", makeWritten("span", "", [called(subject), relation, called(object)].join(" · ")));
    item.append(label);
  }
  return item;
}

function showKept({ kept, why }) {
  list.replaceChildren();
  if (!why.length) text.value = "";
  said.textContent = [filled(words.learn_kept, { count: localNumber(kept) }), ...why].join(" ");
  showButtons();
  window.dispatchEvent(new CustomEvent("noted:memory"));
}

function keep(boxes) {
  const facts = new Map();
  for (const box of boxes) facts.set(box.dataset.sentence, [...(facts.get(box.dataset.sentence) ?? []), box.value]);
  if (facts.size) send("keep", { facts: [...facts].map(([told, triples]) => ({ text: told, triples })) });
}

function showButtons() {
  const read = make("button", "button small primary", words.learn_read);
  read.type = "submit";
  const stop = makeButton("button small", words.learn_stop, end);
  const start = find(".learn-start");
  const hadFocus = start.contains(document.activeElement);
  start.replaceChildren(...(isReading ? [stop] : [read, ...fileButton(words.learn_file, ".txt,.md,text/plain", (content) => (text.value = content))]));
  if (hadFocus) start.querySelector("button").focus({ preventScroll: true });
  const boxes = () => [...list.querySelectorAll("input")];
  const all = makeButton("button small primary", words.learn_keep_all, () => keep(boxes()));
  const some = makeButton("button small", words.learn_keep_some, () => keep(boxes().filter((box) => box.checked)));
  const none = makeButton("button small", words.learn_keep_none, () => {
    list.replaceChildren();
    said.textContent = "";
    showButtons();
  });
  find(".learn-keep").hidden = isReading || !list.hasChildNodes();
  find(".learn-keep").replaceChildren(all, some, none);
}

find(".drawer-title").textContent = words.learn_title;
find(".learn-what").textContent = words.learn_what;
find("label").textContent = words.learn_text;
text.placeholder = words.learn_text;
find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const refused = tooLong(text.value, props.longest);
  if (refused) refuse(refused);
  else if (text.value.trim()) send("part", { text: text.value });
  else text.focus();
});
showButtons();
watch("value", () => receive(props.value));
receive(props.value);
