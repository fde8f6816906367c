// Small forms that stand in the place of the buttons that opened them: words of one's own, and changes of a proposal.

import { button, focused, onEscape, written } from "./panel.js";
import { html, nothing, ref } from "./lit.js";
import { words } from "./server.js";

/**
 * Return what opens and closes one form at a time, of those that an object shows: the object remembers in `opened` which one is
 * open, and in `left` which one was closed last, whose button then has the focus.
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

/** A field for words of one's own, which begins with a `value`. `told` gets them. */
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

/** What becomes of a proposal, as buttons by its state; `act` is told, and `change` is the button that opens its form. */
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

/** The fields of a proposal (`label` and `value` of each), to change them. `act` is told the values that `read` joins; where it
 * returns false, nothing was done, and what was typed stays.
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
  return html`<form class="foot change-form" @submit=${submit} @keydown=${onEscape(close)}>
    ${fields.map(field)}
    <button class="${look} ${look === "link" ? "accent" : "primary"}" type="submit">${words.keep_keep}</button>
    ${button(look, words.cancel, close)}
  </form>`;
}

/** Send the form of a field with several lines by Enter; Shift and Enter begin a new line. */
export function sendsOnEnter(event) {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  event.target.form.requestSubmit();
}

/** A drafted lesson, with what becomes of it. `act` is null where nothing can be done. */
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
