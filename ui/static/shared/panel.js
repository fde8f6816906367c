// Shared by panels: send events and show their result or refusal; small templates; forms and confirmations; browser
// helpers. Text of people and models is only ever shown as text.

import { html, nothing, ref, render } from "./lit.js";
import { ask, language, listen, noted, speak, words } from "./server.js";
import { erasureQuestion, filled, fullStop, localDate, localPercent, tooLong } from "./text.js";

const LARGEST_FILE = 190_000; // bytes; in base64 the limit of a request

/**
 * Create a panel: the element of this name. Its `view` returns the template, `receive` gets each response that was not
 * refused with the data sent, and `besides` returns data to send with each event.
 *
 * @param {string} name
 * @param {any} how
 */
export function createPanel(name, { view, receive = () => {}, besides = () => ({}) }) {
  const element = document.getElementById(name);
  let asked = 0;
  let done = 0;
  const find = (selector) => /** @type {any} */ (element.querySelector(selector));
  const panel = {
    element,
    props: { longest: noted.limits.clarification, keep_days: noted.keep_days, ...noted.panels[name] },
    problem: "", // reason of a refusal, in one sentence
    said: "", // result of the last action
    isAwaited: false, // while a response is pending
    find,
    draw: () => render(view(), element),
    say,
    refuse,
    ask: (event, data = {}) => ask(name, event, { ...besides(), ...data }).catch(() => ({ refused: words.lost })),
    send,
    look: () => send("look"),
  };

  /** Send an event and show the response, or null if it was refused; discard one older than the last one shown. */
  async function send(event, data = {}) {
    const number = ++asked;
    const sent = { ...besides(), ...data };
    panel.isAwaited = true;
    const told = await panel.ask(event, sent);
    if (number === asked || told.refused) panel.isAwaited = false;
    if (told.refused) {
      refuse(told.refused);
      return null;
    }
    if (number === asked) panel.problem = "";
    if (told.done) done = number;
    if (number >= done) receive(told, sent);
    panel.draw();
    return told;
  }

  function say(sentence) {
    panel.said = sentence;
    panel.draw();
  }

  /** Show why something was refused, and keep typed text. */
  function refuse(sentence) {
    panel.problem = sentence;
    panel.draw();
    if (sentence) find(".problem:not([hidden])")?.scrollIntoView({ block: "nearest" });
  }

  return panel;
}

/** Render the reason of a refusal. */
export function problemLine(panel) {
  return html`<p class="problem" role="alert" ?hidden=${!panel.problem}>${panel.problem || nothing}</p>`;
}

/** Render the reason of a refusal, and the result of the last action. */
export function saidLines(panel) {
  return html`${problemLine(panel)}
    <p class="drawer-said strong" role="status" aria-live="polite">${panel.said}</p>`;
}

/**
 * Render a button. Its accessible name is `name`, or the label with what it is `about`; `act` is a name for scripts. One
 * that is off keeps the focus.
 *
 * @param {string} className
 * @param {any} label
 * @param {any} onClick
 * @param {{name?: string, about?: string, act?: string, dir?: string, isOff?: boolean, isDisabled?: boolean,
 *   isHidden?: boolean, isFocused?: boolean, isExpanded?: boolean, isPressed?: boolean}} [options]
 */
export function button(className, label, onClick, options = {}) {
  const { name, about, act, dir, isOff = false, isDisabled = false, isHidden = false, isFocused = false } = options;
  return html`<button class=${className} type="button" dir=${dir ?? nothing} data-act=${act ?? nothing}
    aria-label=${name ?? (about ? `${label}: ${about}` : nothing)}
    aria-expanded=${options.isExpanded ?? nothing} aria-pressed=${options.isPressed ?? nothing}
    aria-disabled=${isOff || nothing} ?disabled=${isDisabled} ?hidden=${isHidden}
    @click=${isOff ? nothing : onClick} ${ref(isFocused ? focused : undefined)}>${label}</button>`;
}

/** Render the button that closes a dialog. */
export function closeButton(dialog) {
  return button("button small quiet", "✕", () => dialog.close(), { name: words.talks_close });
}

/** Render text of a person or a model, with its own direction. */
export function written(text, className = "") {
  return html`<span class=${className || nothing} dir="auto">${text}</span>`;
}

const met = new WeakSet();

/** Focus an element when it is first rendered, with its form in view: `ref(focused)`. */
export function focused(element) {
  if (!element || met.has(element)) return; // lit calls a `ref` shared by several elements at every render
  met.add(element);
  queueMicrotask(() => {
    if (element.type === "text") element.select();
    (element.form ?? element.closest(".asking"))?.scrollIntoView({ block: "nearest" });
    element.focus({ preventScroll: true });
  });
}

/** Call `close` on Escape anywhere in an element. */
export function onEscape(close) {
  return (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  };
}

let confirmations = 0;

/**
 * Ask for confirmation of an action that erases or reaches other people. Cancel has the focus, and Escape cancels.
 * `isDisabled`: the action is in progress.
 */
export function confirmation({ question, label, isErasing = false, name = "", isDisabled = false }, go, back) {
  const id = `asked-${++confirmations}`;
  const [look, keep] = isErasing ? ["filled", words.forget_no] : ["primary", words.cancel];
  const named = (text) => (name ? `${text}: ${name}` : nothing);
  const begin = (event) => {
    event.target.disabled = true;
    go();
  };
  return html`<span class="row asking" @keydown=${onEscape(back)}>
    <span class="entry-sure small" id=${id} role="status">${question}</span>
    <button class="button small ${look}" type="button" aria-describedby=${id} aria-label=${named(label)} ?disabled=${isDisabled} @click=${begin}>${label}</button>
    <button class="button small" type="button" aria-describedby=${id} aria-label=${named(keep)} @click=${back} ${ref(focused)}>${keep}</button>
  </span>`;
}

/** Ask for confirmation to erase something, with the counts of what goes along, where known. */
export function erasing(takes, name = "") {
  const question = takes ? erasureQuestion(takes) : words.forget_sure;
  return { question, label: words.forget_yes, isErasing: true, name };
}

/** Render a button to choose a file, which `take` gets. */
export function fileButton(label, accept, take) {
  const chosen = ({ target }) => {
    const [file] = target.files;
    target.value = "";
    if (file) take(file);
  };
  const choose = ({ target }) => target.nextElementSibling.click();
  return html`${button("button small", label, choose)}<input class="visually-hidden" type="file" accept=${accept}
    tabindex="-1" aria-hidden="true" @change=${chosen} />`;
}

/** Send a whole file with an event of a panel. */
export async function sendFile(panel, file, event) {
  if (file.size > LARGEST_FILE) return panel.refuse(filled(words.file_too_large, { size: LARGEST_FILE / 1000 }));
  const buffer = await file.arrayBuffer().catch(() => null);
  if (!buffer) return panel.refuse(words.bring_in_unreadable);
  const letters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte));
  panel.send(event, { bytes: btoa(letters.join("")) });
}

/** Ask whether the first line of a table is a header, before anything is stored; render nothing without a question. */
export function headerQuestion(panel, question, answer) {
  const id = `${panel.element.id}-header`;
  if (!question) return nothing;
  return html`<div class="buttons" role="group" aria-labelledby=${id}><span id=${id} dir="auto">${question}</span>
    ${button("button small", words.header_yes, () => answer(true), { isFocused: true })}
    ${button("button small", words.header_no, () => answer(false))}
  </div>`;
}

/** Render a template with a text of a person or a model quoted in the place of `name`. */
export function quoted(template, name, text) {
  const [before, after = ""] = template.split(`{${name}}`);
  return [before, html`<q dir="auto">${text}</q>`, after];
}

/** Return an entry as one text for screen readers: its sentence, else its words. */
export const saying = ({ sentence, text }) => sentence || text;

/** Render another statement about the same question, with its day and whether it is active. */
export function saidOtherwise({ text, when, counts }) {
  const isToday = new Date(when).toDateString() === new Date().toDateString();
  const said = counts ? words.counts_too : words.counted_before;
  return quoted(filled(said, { when: isToday ? "" : ` (${localDate(when)})` }), "text", text);
}

/** Render an entry as a sentence: a meaning ("When you ask …, you mean …"), a fact, or a lesson. */
export function lesson({ title, question: way, meaning, example, sentence, learnt, text }) {
  const whole = learnt ? text : sentence;
  const said = { way, meaning, title, whole };
  const template = whole ? "{whole}" : example ? words.lesson_example : title ? "{title}: {meaning}" : words.lesson;
  const pieces = template.split(/\{(\w+)\}/).map((piece) => (piece in said ? written(said[piece]) : piece));
  return html`<span class="lesson">${pieces}${whole ? fullStop(whole, "en") : fullStop(meaning, language)}</span>`;
}

/** Render a bar for a share. */
export function bar(share, label = "") {
  return html`<span class="bar" role=${label ? "img" : nothing} aria-label=${label || nothing}><span .style=${`width: ${100 * share}%`}></span></span>`;
}

/** Render the scores of a draft as bars. */
export function scoreBars(scores) {
  const row = ({ by, score }) => html`<li class="bar-row">
    <span class="hint">${words[by]}</span>${bar(score, localPercent(score))}
  </li>`;
  return scores.length ? html`<ul class="scores">${scores.map(row)}</ul>` : nothing;
}

/** Copy a text and confirm it on the button; by a field if the browser refuses, for example in a frame. */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.className = "visually-hidden";
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus({ preventScroll: true });
  }
  button.textContent = words.copied;
}

/** Return a listener for a list, to choose the option where arrow keys come to rest. */
export function onChosen(choose) {
  const later = debounced(choose, 500);
  return ({ target }) => later(target.value);
}

/** Return a function that calls `act` once it was not called for some time. */
export function debounced(act, ms) {
  let timer = 0;
  return (...told) => {
    clearTimeout(timer);
    timer = setTimeout(act, ms, ...told);
  };
}

/** Render a field to search in a list. */
export function searchField(className, label, search) {
  return html`<input class=${className} type="search" dir="auto" autocomplete="off" maxlength="500"
    placeholder=${label} aria-label=${label} @input=${search} />`;
}

/** Render buttons that turn the pages of a list, by `turn`; hidden if all of it is shown. */
export function pageButtons([before, after], { first, step, more }, turn) {
  const to = (label, place, isThere) => button("button", label, () => turn(place), { isDisabled: !isThere });
  return html`<nav class="buttons centred" aria-label=${words.pages} ?hidden=${!first && !more}>
    ${to(before, Math.max(0, first - step), first)} ${to(after, first + step, more)}
  </nav>`;
}

/** Render the list of languages, each by its own name. */
export function languageList() {
  const option = ([code, name]) =>
    html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`;
  return html`<select class="field-s head-language" aria-label=${words.language} @change=${onChosen(speak)}>${Object.entries(noted.languages).map(option)}</select>`;
}

/** Download a text as a file with today's date. */
export function saveFile(content, name, ending, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Create a controller of forms by name. `state` keeps those open, and the last that closed (`left`): the button that
 * opened it gets the focus when it is shown again.
 */
export function formsIn(state, redraw) {
  const opened = (state.opened ??= new Map()); // name to the problem of the form
  const isOpen = (name) => opened.has(name);

  function open(name, problem = "") {
    opened.set(name, problem);
    state.left = "";
    redraw();
  }

  function close(name) {
    opened.delete(name);
    state.left = name;
    redraw();
  }

  /** Render a button that opens a form; `about` completes its accessible name. */
  function opener(name, className, label, about = "") {
    return button(className, label, () => open(name), { about, isFocused: state.left === name });
  }

  /**
   * Render a form: Enter sends it, Escape closes it. `go` gets the values of its fields, and returns null or false to
   * keep it open.
   *
   * @param {string} name
   * @param {{label: string, value?: string, isLong?: boolean, isNeeded?: boolean}[]} fields
   * @param {{save: string, look?: string, longest?: number}} how
   * @param {(...values: string[]) => any} go
   */
  function form(name, fields, { save, look = "button small", longest = Infinity }, go) {
    const isInline = look === "link" || fields.length > 1;
    const submit = async (event) => {
      event.preventDefault();
      const values = [...event.target.querySelectorAll("input, textarea")].map(({ value }) => value);
      const problem = tooLong(values[0], longest);
      open(name, problem);
      const done = problem ? null : await go(...values);
      if (done !== null && done !== false && isOpen(name)) close(name);
    };
    const field = ({ label, value = "", isLong = false, isNeeded = false }, place) => {
      const first = ref(place ? undefined : focused);
      const called = isInline ? label : nothing;
      const written = isLong
        ? html`<textarea dir="auto" rows="2" .value=${value} ?required=${isNeeded} aria-label=${called} @keydown=${sendsOnEnter} ${first}></textarea>`
        : html`<input dir="auto" autocomplete="off" enterkeyhint="send" .value=${value} ?required=${isNeeded} aria-label=${called} placeholder=${called} ${first} />`;
      return isInline ? written : html`<label class="stack"><span class="hint">${label}</span>${written}</label>`;
    };
    return html`<form class=${isInline ? "foot" : "stack"} @submit=${submit} @keydown=${onEscape(() => close(name))}>
      ${fields.map(field)}
      <div class="buttons">
        <button class="${look} ${look === "link" ? "accent" : "primary"}" type="submit">${save}</button>
        ${button(look, words.cancel, () => close(name))}
      </div>
      ${opened.get(name) ? html`<p class="problem" role="alert">${opened.get(name)}</p>` : nothing}
    </form>`;
  }

  return { isOpen, open, close, opener, form };
}

/** Create the forms of a panel, with buttons and confirmations that send an event. */
export function createControls(panel, state = { opened: new Map(), left: "" }) {
  const forms = formsIn(state, () => {
    panel.draw();
    state.left = ""; // a list that is read again takes no focus
  });
  const weights = new Map(); // counts of what an erasure takes along
  let sending = "";
  let weighing = "";
  listen("left", () => forms.isOpen(weighing) && forms.close(weighing)); // nobody returns to a loaded question

  /** Send an event. Close the open form on success. Return the response, or null if refused. */
  async function send(name, event, data) {
    if (sending === name) return null;
    sending = name;
    panel.draw();
    const told = await panel.send(event, data);
    if (sending === name) sending = "";
    if (told && forms.isOpen(name)) forms.close(name);
    else panel.draw();
    return told;
  }

  /** Render a button; one that is off keeps the focus. */
  function control(name, look, label, press, about = "", isOff = sending === name) {
    return button(`button small ${look}`, label, press, { about, isOff, isFocused: state.left === name });
  }

  /** Render a confirmation. */
  function question(name, asked, go) {
    return confirmation({ ...asked, isDisabled: sending === name }, go, () => forms.close(name));
  }

  /** Open the confirmation of an erasure; what goes along is counted meanwhile, and then in `weighed`. */
  async function weigh(name, data = {}) {
    weights.delete(name);
    weighing = name;
    forms.open(name);
    const told = await panel.send("weigh", data);
    if (!told || !forms.isOpen(name)) return;
    weights.set(name, told.takes);
    panel.draw();
    document.activeElement.closest(".asking")?.scrollIntoView({ block: "nearest" });
  }

  const weighed = (name) => weights.get(name);

  /** Return true if the user is typing about an item that is missing in a list. */
  function losesTyped(list) {
    const typedOf = [...panel.element.querySelectorAll("[data-id]:has(form)")];
    return typedOf.some((item) => !list.some(({ id }) => item.getAttribute("data-id") === id));
  }

  return { ...forms, send, control, question, weigh, weighed, losesTyped };
}

/** Render the buttons of a proposal by its state; `act` gets the decision, and `change` opens its form. */
export function proposalButtons(text, state, act, change, look = "link", labels = {}) {
  const { keep = words.keep_keep, drop = words.keep_drop } = labels;
  const say = (label, name) => button(look, label, () => act({ act: name }), { about: text });
  return [
    state === "proposed" || state === "gone" ? say(keep, "keep") : nothing,
    state === "dropped" ? nothing : change,
    state === "proposed" ? say(drop, "discard") : nothing,
    state === "kept" || state === "dropped" ? say(words.undo, "undo") : nothing,
  ];
}

/** Submit a form by Enter in a multi-line field; Shift+Enter inserts a line break. */
export function sendsOnEnter(event) {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}
