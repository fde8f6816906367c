// Forms and confirmations in place of the buttons that open them, in a panel or a part of a card.

import { button, confirmation, focused, onEscape } from "./panel.js";
import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";
import { tooLong } from "./text.js";

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
