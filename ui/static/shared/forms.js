// Small forms that replace the buttons that opened them: free text, and changes of a proposal.

import { button, focused, onEscape, written } from "./panel.js";
import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";

/**
 * Create a controller that keeps one form open at a time. It stores in `state` which one is `opened`, and which was
 * closed last (`left`), whose button gets the focus.
 */
export function opener(state, redraw) {
  const show = (opened, left) => {
    Object.assign(state, { opened, left });
    redraw();
  };
  return {
    isOpen: (key) => state.opened === key,
    close: () => show("", state.opened),
    button: (key, className, label, name = "") => html`<button
      class=${className}
      type="button"
      aria-label=${name || nothing}
      @click=${() => show(key, "")}
      ${ref(state.left === key ? focused : undefined)}
    >${label}</button>`,
  };
}

/** Render a field for free text with an initial `value`; `told` gets the text. */
export function wordsForm({ label, save, isNeeded = false, value: first = "" }, told, close) {
  const submit = (event) => {
    event.preventDefault();
    const { value } = event.target.elements[0];
    close();
    told(value);
  };
  return html`<form class="foot" @submit=${submit} @keydown=${onEscape(close)}>
    <input dir="auto" .value=${first} placeholder=${label} aria-label=${label} ?required=${isNeeded} enterkeyhint="send" ${ref(focused)} />
    ${button("link", words.cancel, close)}
    <button class="link accent" type="submit">${save}</button>
  </form>`;
}

/** Render the buttons of a proposal by its state; `act` gets the decision, and `change` opens its form. */
export function proposalButtons(
  text,
  state,
  act,
  change,
  look = "link",
  { keep = words.keep_keep, drop = words.keep_drop } = {},
) {
  const say = (label, name) => button(look, label, () => act({ act: name }), { name: `${label}: ${text}` });
  return [
    state === "proposed" || state === "gone" ? say(keep, "keep") : nothing,
    state === "dropped" ? nothing : change,
    state === "proposed" ? say(drop, "discard") : nothing,
    state === "kept" || state === "dropped" ? say(words.undo, "undo") : nothing,
  ];
}

/**
 * Render the fields of a proposal (`label` and `value` of each). `act` gets the values joined by `read`; if it returns
 * false, the form stays open.
 */
export function proposalForm(fields, read, act, close, look = "link") {
  const submit = async (event) => {
    event.preventDefault();
    const values = [...event.target.querySelectorAll("input, textarea")].map((field) => field.value);
    if ((await act({ act: "keep", text: read(values) })) !== false) close();
  };
  const field = ({ label, value, isLong = false }, place) => {
    const first = ref(place ? undefined : focused);
    if (!isLong) return html`<input dir="auto" .value=${value} required aria-label=${label} ${first} />`;
    return html`<textarea dir="auto" rows="2" .value=${value} required aria-label=${label} @keydown=${sendsOnEnter} ${first}></textarea>`;
  };
  return html`<form class="foot" @submit=${submit} @keydown=${onEscape(close)}>
    ${fields.map(field)}
    <button class="${look} ${look === "link" ? "accent" : "primary"}" type="submit">${words.keep_keep}</button>
    ${button(look, words.cancel, close)}
  </form>`;
}

/** Submit a form by Enter in a multi-line field; Shift+Enter inserts a line break. */
export function sendsOnEnter(event) {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}

/** Render a drafted lesson with its decision. `act` is null if it cannot be changed. */
export function draftedLesson({ rule, state }, act, forms, key, look = "link") {
  const titles = {
    proposed: words.lessons_drafted,
    kept: words.lessons_kept,
    dropped: words.lessons_dropped,
    gone: words.lessons_gone,
  };
  if (forms.isOpen(key)) {
    return proposalForm(
      [{ label: words.lessons_words, value: rule, isLong: true }],
      ([text]) => text,
      act,
      forms.close,
      look,
    );
  }
  const change = forms.button(key, look, words.keep_change, `${words.keep_change}: ${rule}`);
  return html`<p class="draft ${state}"><span class="hint">${titles[state]}</span> ${written(rule, "rule")}</p>
    <div class="foot">${act ? proposalButtons(rule, state, act, change, look) : nothing}</div>`;
}
