// Buttons of a panel by name, with the confirmation or form that opens in place of one, and the events that they send.

import { button, confirmation, growToFit, onEscape } from "./panel.js";
import { sendsOnEnter } from "./forms.js";
import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";
import { tooLong } from "./text.js";

/**
 * Create the controls of a panel.
 *
 * @param {import("./panel.js").Panel} panel
 */
export function createControls(panel) {
  const opened = new Map(); // name to the error of its form
  let sending = "";
  const isOpen = (name) => opened.has(name);

  function open(name, problem = "") {
    opened.set(name, problem);
    panel.draw();
  }

  /** Close a form or confirmation, and focus its button. */
  function close(name) {
    opened.delete(name);
    panel.draw();
    focus(name);
  }

  function focus(name) {
    const named = [...panel.element.querySelectorAll("[data-act]")];
    /** @type {any} */ (named).find(({ dataset }) => dataset.act === name)?.focus({ preventScroll: true });
  }

  /** Send an event. Close the open form on success. Return the response, or null if refused. */
  async function send(name, event, data) {
    sending = name;
    panel.draw();
    const told = await panel.send(event, data);
    if (sending === name) sending = "";
    if (told) opened.delete(name);
    panel.draw();
    return told;
  }

  /** Render a button; `about` completes its accessible name; one that is off keeps the focus. */
  function control(name, look, label, press, about = "", isOff = false) {
    return html`<button
      class=${`button small ${look}`}
      type="button"
      data-act=${name}
      aria-label=${about ? `${label}: ${about}` : nothing}
      aria-disabled=${isOff ? "true" : nothing}
      ?disabled=${sending === name}
      @click=${isOff ? nothing : press}
    >${label}</button>`;
  }

  /** Render a confirmation. */
  function question(name, asked, go) {
    return confirmation({ ...asked, isDisabled: sending === name }, go, () => close(name));
  }

  /** Render a form for a text, or for one line: Enter sends it, Escape closes it. */
  function form(name, { id, label, value, save, longest, isLine = false }, go) {
    const submit = (event) => {
      event.preventDefault();
      if (sending === name) return;
      const text = event.target.querySelector("input, textarea").value;
      const problem = tooLong(text, longest);
      open(name, problem);
      if (!problem) go(text);
    };
    const field = isLine
      ? html`<input id=${id} type="text" dir="auto" autocomplete="off" .value=${value} ${ref(begin)} />`
      : html`<textarea id=${id} dir="auto" rows="2" .value=${value} @keydown=${sendsOnEnter} ${ref(begin)}></textarea>`;
    return html`<form class="stack" @submit=${submit} @keydown=${onEscape(() => close(name))}>
      <label class=${isLine ? "entry-label" : nothing} for=${id}>${label}</label>
      ${field}
      <div class="buttons">
        <button class="button small primary" type="submit" ?disabled=${sending === name}>${save}</button>
        ${button("button small", words.cancel, () => close(name))}
      </div>
      ${opened.get(name) ? html`<p class="problem" role="alert">${opened.get(name)}</p>` : nothing}
    </form>`;
  }

  /** Return true if the user is typing about an item that is missing in a list. */
  function losesTyped(list) {
    const typedOf = [...panel.element.querySelectorAll("[data-id]:has(form)")];
    return typedOf.some((item) => !list.some(({ id }) => item.getAttribute("data-id") === id));
  }

  return { isOpen, open, close, focus, send, control, question, form, losesTyped };
}

function begin(field) {
  if (!field) return;
  queueMicrotask(() => {
    if (field.type === "textarea") growToFit(field);
    field.form.scrollIntoView({ block: "nearest" });
    field.focus({ preventScroll: true });
  });
}
