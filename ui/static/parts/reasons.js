// The reasons for an answer, with actions on each. A language model names them on request.

import { opener, wordsForm } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { button, confirmation, written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled, localDate, localNumber } from "../shared/text.js";

export default function reasonsView({ reasons, calls }, act, state, redraw) {
  const forms = opener(state, redraw);
  const say = (label, name, number) => button("link", label, () => act({ operation: "dispute", act: name, number }));

  // Render a row of buttons, or the form that one of them opened in its place.
  const line = (key, label, told, isNeeded, buttons) => {
    if (!act) return nothing;
    if (!key || !forms.isOpen(key)) return html`<div class="foot">${buttons}</div>`;
    const asked = { label, save: words.why_save, isNeeded };
    return html`<div class="foot">${wordsForm(asked, (text) => act({ operation: "dispute", ...told, text }), forms.close)}</div>`;
  };

  const premise = ({ number, text, origin, when, believed }) => {
    const key = `wrong ${number}`;
    const aside = state.isMore ? say(words.why_aside, "does-not-matter", number) : nothing;
    const doubts = [forms.button(key, "link", words.why_wrong), aside];
    const buttons = believed ? doubts : say(words.why_true, "true", number);
    return html`<li class=${believed ? "" : "disbelieved"}>${written(text)} – <span class="hint">${filled(origin, { day: localDate(when) })}</span>
      ${line(key, words.why_it_is, { act: "wrong", number }, false, buttons)}</li>`;
  };

  // Ask for confirmation, since it blocks that step for every question.
  const notFollow = () => {
    if (!forms.isOpen("follow")) return forms.button("follow", "link", words.why_not_follow);
    const asked = {
      question: words.why_not_follow_sure,
      label: words.why_not_follow,
      keep: words.cancel,
      look: "danger",
    };
    return confirmation(asked, () => act({ operation: "dispute", act: "does-not-follow" }), forms.close);
  };

  // Render the other actions below the reasons, and to think it through.
  const below = () => {
    const said = { missing: words.why_missing_field, answer: words.why_answer_field };
    const opened = Object.keys(said).find(forms.isOpen) ?? "";
    const unfold = () => {
      state.isMore = !state.isMore;
      redraw();
    };
    const more = html`<button class="link" type="button" aria-expanded=${String(Boolean(state.isMore))} @click=${unfold}>${words.more}</button>`;
    const others = () => [
      reasons.premises.length ? notFollow() : nothing,
      forms.button("missing", "link", words.why_missing),
      forms.button("answer", "link", words.why_answer),
    ];
    const think = () =>
      button("link", filled(words.why_think, { count: localNumber(calls) }), () =>
        act({ operation: "retry", think: true }),
      );
    return line(opened, said[opened], { act: opened }, true, [
      more,
      state.isMore ? others() : nothing,
      calls ? think() : nothing,
    ]);
  };

  if (!reasons) return act ? button("link", words.why_ask, () => act({ operation: "why" })) : nothing;
  return html`<p>${reasons.verdict}</p>
    <ol class="why-reasons" aria-label=${words.why_reasons}>${reasons.premises.map(premise)}</ol>
    ${reasons.asks ? html`<p class="notice">${reasons.asks}</p>` : nothing}${below()}`;
}
