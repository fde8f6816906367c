// The reasons for an answer, with disputes of each. A language model names them on request. A reason that is among the
// sources of the answer is shown there, with its disputes.

import { formsIn } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { button, confirmation, written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled, localDate } from "../shared/text.js";

// Render a row of buttons, or the form that one of them opened in its place.
function disputeLine(key, field, told, buttons, act, forms) {
  if (!key || !forms.isOpen(key)) return html`<div class="foot">${buttons}</div>`;
  const dispute = (text) => act({ operation: "dispute", ...told, text });
  return forms.form(key, [field], { save: words.why_save, look: "link" }, dispute);
}

/** Render the disputes of one reason, after the `first` buttons of its row. */
export function disputes({ number, believed }, act, state, redraw, first = nothing) {
  const forms = formsIn(state, redraw);
  const look = first === nothing ? "link" : "chip";
  const say = (label, name) => button(look, label, () => act({ operation: "dispute", act: name, number }));
  const key = `wrong ${number}`;
  const aside = state.isMore ? say(words.why_aside, "does-not-matter") : nothing;
  const doubts = [forms.opener(key, look, words.why_wrong), aside];
  const buttons = [first, believed ? doubts : say(words.why_true, "true")];
  return disputeLine(key, { label: words.why_it_is }, { act: "wrong", number }, buttons, act, forms);
}

export default function reasonsView({ reasons, calls }, act, state, redraw) {
  const forms = formsIn(state, redraw);

  const premise = (reason) => {
    const { text, origin, when, believed } = reason;
    return html`<li class=${believed ? "" : "disbelieved"}>${written(text)} – <span class="hint">${filled(origin, { day: localDate(when) })}</span>
      ${act ? disputes(reason, act, state, redraw) : nothing}</li>`;
  };

  // Ask for confirmation, since it blocks that step for every question.
  const notFollow = () => {
    if (!forms.isOpen("follow")) return forms.opener("follow", "link", words.why_not_follow);
    const asked = {
      question: words.why_not_follow_sure,
      label: words.why_not_follow,
      keep: words.cancel,
      look: "danger",
    };
    return confirmation(
      asked,
      () => act({ operation: "dispute", act: "does-not-follow" }),
      () => forms.close("follow"),
    );
  };

  // Render the other actions below the reasons, and to think it through.
  const below = () => {
    const said = { missing: words.why_missing_field, answer: words.why_answer_field };
    const opened = Object.keys(said).find(forms.isOpen) ?? "";
    const unfold = () => {
      state.isMore = !state.isMore;
      redraw();
    };
    const more = button("link", words.more, unfold, { isExpanded: Boolean(state.isMore) });
    const others = () => [
      reasons.premises.length ? notFollow() : nothing,
      forms.opener("missing", "link", words.why_missing),
      forms.opener("answer", "link", words.why_answer),
    ];
    const think = () =>
      button("link", filled(words.why_think, { count: calls }), () => act({ operation: "retry", think: true }));
    const buttons = [more, state.isMore ? others() : nothing, calls ? think() : nothing];
    return disputeLine(opened, { label: said[opened], isNeeded: true }, { act: opened }, buttons, act, forms);
  };

  if (!reasons) return act ? button("link", words.why_ask, () => act({ operation: "why" })) : nothing;
  const others = reasons.premises.filter(({ source }) => !source);
  const list = html`<ol class="why-reasons listed" aria-label=${words.why_reasons}>${others.map(premise)}</ol>`;
  return html`${reasons.verdict ? html`<p>${reasons.verdict}</p>` : nothing}${others.length ? list : nothing}
    ${reasons.asks ? html`<p class="notice small">${reasons.asks}</p>` : nothing}${act ? below() : nothing}`;
}
