// Buttons of a panel, each by a name: the question or form that opens in the place of one, and what is sent by it.

import { button, confirmation, growToFit, onEscape } from "./panel.js";
import { sendsOnEnter } from "./forms.js";
import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";
import { tooLong } from "./text.js";

/**
 * Make the buttons of a panel.
 *
 * @param {import("./panel.js").Panel} panel
 */
export function createControls(panel) {
  const opened = new Map(); // name: what is wrong with what was typed there
  let sending = "";
  const isOpen = (name) => opened.has(name);

  function open(name, problem = "") {
    opened.set(name, problem);
    panel.draw();
  }

  /** Close what a button opened, which has the focus again. */
  function close(name) {
    opened.delete(name);
    panel.draw();
    focus(name);
  }

  function focus(name) {
    const named = [...panel.element.querySelectorAll("[data-act]")];
    /** @type {any} */ (named).find(({ dataset }) => dataset.act === name)?.focus({ preventScroll: true });
  }

  /** Send an event. What was open is closed where that was done; the answer is returned, or null. */
  async function send(name, event, data) {
    sending = name;
    panel.draw();
    const told = await panel.send(event, data);
    if (sending === name) sending = "";
    if (told) opened.delete(name);
    panel.draw();
    return told;
  }

  /** A button; `about` is for those who hear it without what stands around it. */
  function control(name, look, label, press, about = "") {
    return html`<button
      class=${`button small ${look}`}
      type="button"
      data-act=${name}
      aria-label=${about ? `${label}: ${about}` : nothing}
      ?disabled=${sending === name}
      @click=${press}
    >${label}</button>`;
  }

  /** What is asked before something is done. */
  function question(name, asked, go) {
    return confirmation({ ...asked, isDisabled: sending === name }, go, () => close(name));
  }

  /** A form for one text, or of one line: Enter sends the text, and Escape closes the form. */
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

  /** Return true if something is being typed about an item of the panel that is not in a list. */
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
