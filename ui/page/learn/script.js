// A text is read, a few sentences at a time; what it says of things can be ticked and kept. Stop ends the reading.

const name = "learn";
const labels = {
  title: words.learn_title,
  what: words.learn_what,
  text: words.learn_text,
  file: words.learn_file,
  stop: words.learn_stop,
};
const list = find(".learn-sentences");
let waiting = []; // sentences that are not read yet
let total = 0;

function receive(value) {
  if (value.parted) return begin(value.parted);
  if (value.read) return take(value);
  if (value.kept !== undefined) showKept(value);
}

function begin(sentences) {
  waiting = sentences;
  total = sentences.length;
  isGoing = true;
  list.replaceChildren();
  showButtons();
  goOn();
}

function goOn() {
  said.textContent = filled(words.learn_progress, { done: localNumber(total - waiting.length), of: localNumber(total) });
  if (waiting.length) send("read", { sentences: waiting.slice(0, props.at_once) });
  else end();
}

function take({ read, why }) {
  if (!isGoing) return; // stopped meanwhile
  waiting = waiting.slice(read.length);
  list.append(...read.filter(({ triples }) => triples.length).map(sentence));
  if (why) refuse(why);
  else goOn();
}

function end() {
  const wasReading = isGoing;
  isGoing = false;
  showButtons();
  if (!wasReading) return;
  const count = list.querySelectorAll("input").length;
  tellEnd(count ? filled(words.learn_found, { count: localNumber(count) }) : words.learn_nothing);
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
  showStart(words.learn_read, ".txt,.md,text/plain", end);
  const boxes = () => [...list.querySelectorAll("input")];
  const all = makeButton("button small primary", words.learn_keep_all, () => keep(boxes()));
  const some = makeButton("button small", words.learn_keep_some, () => keep(boxes().filter((box) => box.checked)));
  const none = makeButton("button small", words.learn_keep_none, () => {
    list.replaceChildren();
    said.textContent = "";
    showButtons();
  });
  find(".learn-keep").hidden = isGoing || !list.hasChildNodes();
  find(".learn-keep").replaceChildren(all, some, none);
}

showForm(() => send("part", { text: text.value }));
showButtons();
listenToReader(receive);
