// A panel that reads a text on the server, some of it at a time, until it is done or stopped. The script of the panel has
// its `name` and `labels`; its `goOn` asks for more, and its `end` shows that nothing more is asked.

const text = find("textarea");
const said = find(".drawer-said");
const bar = find(".progress-bar");
const WAIT_MS = 5000;
let isGoing = false;
let isStopping = false;
whenRefused = () => end();

// Too much was asked for just now: it goes on by itself.
function rest(sentence) {
  said.textContent = sentence;
  setTimeout(() => isGoing && !isAwaited && goOn(), WAIT_MS);
}

// What came of it, in sight of whoever is still there.
function tellEnd(sentence) {
  said.textContent = sentence;
  if (element.contains(document.activeElement)) said.scrollIntoView({ block: "nearest", behavior: calmly() });
}

// What is being asked is waited for.
function stop() {
  if (!isAwaited) return end(labels.stopped);
  isStopping = true;
  said.textContent = labels.stopping;
}

// The texts of the form, and what begins once there is something in it.
function showForm(begin) {
  find(".drawer-title").textContent = labels.title;
  find(`.${name}-what`).textContent = labels.what;
  find(`label[for="${text.id}"]`).textContent = text.placeholder = labels.text;
  find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const refused = tooLong(text.value, props.longest);
    if (refused) refuse(refused);
    else if (text.value.trim()) begin();
    else text.focus();
  });
}

// Listens to the server; what stands in a file that was chosen comes into the field, to be looked at.
function listenToReader(receive) {
  listenTo((value) => {
    if (value.file_text === undefined) return receive(value);
    text.value = value.file_text;
    text.dispatchEvent(new Event("input"));
  });
}

// A button that begins or goes on, with one that takes a file, or a button that stops.
function showStart(label, accepted, onStop = stop) {
  const go = make("button", "button small primary", label);
  go.type = "submit";
  const stopping = makeButton("button small", labels.stop, onStop);
  const start = find(`.${name}-start`);
  if (start.querySelector("button")?.textContent === (isGoing ? stopping : go).textContent) return; // so that it can be pressed
  const hadFocus = start.contains(document.activeElement);
  const files = fileButton(labels.file, accepted, (file) => sendFile(file, "decode_file"));
  start.replaceChildren(...(isGoing ? [stopping] : [go, ...files]));
  if (hadFocus) start.querySelector("button").focus({ preventScroll: true });
}
