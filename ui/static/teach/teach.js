// The tab Teach: a card for each way of teaching. Larger ones open in place of their card, load then, and keep typed
// text.

import { html, nothing } from "../shared/lit.js";
import { button, createPanel, problemLine, written } from "../shared/panel.js";
import { listen, mayConnect, noted, tell, words } from "../shared/server.js";
import { filled, howMany, tooLong } from "../shared/text.js";

const panel = createPanel("teach", { view, receive });
let open = ""; // the open card
let left = ""; // the card closed last, whose button gets the focus
let sheet = { facts: 0, things: 0 };
let saved = null; // fact saved last
let isSaving = false;

function receive(told) {
  sheet = told.sheet;
  if (told.done) saved = told.saved ?? null;
}

function view() {
  const onSheet = { facts: howMany("teach_facts", sheet.facts), things: howMany("teach_things", sheet.things) };
  return html`<h2>${words.tab_teach}</h2>
    <p>${words.teach_about}</p>
    <div class="tools">
      ${tellCard()}
      ${card("learn", words.learn_title, words.learn_what, [
        [words.teach_paste, () => show("learn")],
        [words.learn_file, () => show("learn", choose)],
      ])}
      ${card("practice", words.practice_title, words.practice_what, [[words.practice_begin, () => show("practice")]])}
      ${card("study", words.study_title, words.study_what, [studyButton()])}
      ${card("sheet", words.sheet_title, filled(words.teach_sheet, onSheet), [[words.teach_open, () => show("sheet")]])}
      ${card("import", words.import_title, words.import_what, [
        [words.import_file, () => show("import", choose)],
        [words.import_from, () => show("learn", openRequest)],
      ])}
    </div>`;
}

function tellCard() {
  const text = saved && written(filled(words.teach_saved, { text: saved.text }));
  return html`<section class="tool box stack" aria-labelledby="tool-tell">
    <h3 id="tool-tell">${words.teach_tell}</h3>
    <p class="hint">${words.teach_tell_what}</p>
    <form class="row" autocomplete="off" @submit=${tellFact}>
      <input id="tell-text" type="text" dir="auto" autocomplete="off" placeholder=${words.teach_sentence} aria-label=${words.teach_sentence} required />
      <button class="button primary" type="submit">${words.teach_save}</button>
    </form>
    ${problemLine(panel)}
    <p class="tell-saved spread" role="status">${saved ? html`${text} ${button("button small", words.undo, takeBack)}` : nothing}</p>
  </section>`;
}

// The small model writes no questions: offer another one instead.
function studyButton() {
  if (mayConnect()) return [words.start_connect, () => tell("connect", {}), null];
  return [words.study_make, noted.models?.isSmall ? null : () => show("study")];
}

/** Render a card with its buttons, or open. Its own module renders the content. */
function card(name, title, what, buttons) {
  const isOpen = open === name;
  const control = ([label, press, isExpanded = false], place) => {
    return button("button small", label, press, { isExpanded, isDisabled: !press, isFocused: left === name && !place });
  };
  return html`<section class="tool box stack ${isOpen ? "open" : ""}" aria-labelledby="tool-${name}">
    <div class="spread">
      <h3 id="tool-${name}">${title}</h3>
      ${isOpen ? button("button small", words.talks_close, close, { about: title }) : nothing}
    </div>
    <p class="hint">${what}</p>
    ${isOpen ? nothing : html`<div class="buttons">${buttons.map(control)}</div>`}
    <div class="panel stack" id=${name} ?hidden=${!isOpen}></div>
  </section>`;
}

// Open a card. Focus its first field, or pass the loaded module to `begin`.
async function show(name, begin = /** @type {any} */ (focusIn)) {
  [open, left] = [name, ""];
  panel.draw();
  const place = document.getElementById(name);
  const loaded = await import(`../${name}/${name}.js`).catch(() => null);
  if (!loaded) return panel.refuse(words.lost);
  loaded.look?.();
  place.parentElement.scrollIntoView({ block: "nearest" });
  begin(place, loaded);
}

const focusIn = (place) => place.querySelector("textarea, input, button").focus({ preventScroll: true });

function choose(place) {
  focusIn(place);
  place.querySelector("input[type=file]").click();
}

function openRequest(place) {
  focusIn(place);
  place.querySelector("details").open = true;
}

function close() {
  [open, left] = ["", open];
  panel.draw();
}

async function tellFact(event) {
  event.preventDefault();
  const field = event.target.elements[0];
  const text = field.value.trim();
  const refused = tooLong(text, panel.props.longest);
  if (refused) return panel.refuse(refused);
  if (!text) return field.focus();
  if (isSaving) return;
  [saved, isSaving] = [null, true];
  const told = await panel.send("tell", { text });
  isSaving = false;
  if (!told) return;
  if (field.value.trim() === text) field.value = "";
  tell("memory", "told");
}

async function takeBack() {
  if (!(await panel.send("undo_fact", { entry: saved.entry }))) return;
  panel.find("#tell-text").focus();
  tell("memory", "told");
}

export const { look } = panel;

listen("memory", (what) => what !== "told" && look());
listen("models", () => panel.draw());
// Practise study questions of another card.
listen("practise", (lines) => show("practice", (_place, { practise }) => practise(lines)));
panel.draw();
