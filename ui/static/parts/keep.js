// Triples proposed from the message: keep, change, discard, undo.

import { formsIn, proposalButtons } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { called, lineFields, lineOf } from "../shared/text.js";

export default function keep({ triples, by_itself: isByItself, asks }, act, state, redraw) {
  const forms = formsIn(state, redraw);

  const chip = ({ number, subject, relation, object, state: stage }) => {
    const text = [called(subject), relation, called(object)].join(" · ");
    const decide = (told) => act({ operation: "decide", of: "fact", number, ...told });
    if (act && forms.isOpen(number)) {
      const change = (...values) => decide({ act: "keep", text: lineOf(values) });
      const form = forms.form(
        number,
        lineFields([subject, relation, object]),
        { save: words.keep_keep, look: "link" },
        change,
      );
      return html`<li class=${stage}>${form}</li>`;
    }
    const change = forms.opener(number, "link", words.keep_change, text);
    const labels = asks ? { keep: words.save_it, drop: words.save_not } : {};
    const buttons = act ? proposalButtons(text, stage, decide, asks ? nothing : change, "link", labels) : [];
    return html`<li class=${stage}>${written(text, "triple")}${buttons}</li>`;
  };

  const some = (stage) => triples.some((triple) => triple.state === stage);
  const kept = asks ? words.fact_noted : isByItself ? words.keep_by_itself : words.keep_kept;
  const title = some("proposed") ? (asks ? words.save_this : words.keep_title) : some("kept") ? kept : words.keep_not;
  return html`<span>${title}</span><ul class="row triples" aria-label=${title}>${triples.map(chip)}</ul>`;
}
