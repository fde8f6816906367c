// Triples proposed from the message: keep, change, discard, undo.

import { opener, proposalButtons, proposalForm } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { called, lineOf, toWrite } from "../shared/text.js";

export default function keep({ triples, by_itself: isByItself, asks }, act, state, redraw) {
  const forms = opener(state, redraw);

  const chip = ({ number, subject, relation, object, state: stage }) => {
    const text = [called(subject), relation, called(object)].join(" · ");
    const decide = (told) => act({ operation: "decide", of: "fact", number, ...told });
    if (act && forms.isOpen(number)) {
      const fields = [
        [words.keep_subject, subject],
        [words.keep_relation, relation],
        [words.keep_object, object],
      ];
      const written = fields.map(([label, value]) => ({ label, value: toWrite(value) }));
      return html`<li class="row ${stage}">${proposalForm(written, lineOf, decide, forms.close)}</li>`;
    }
    const change = forms.button(number, "link", words.keep_change, `${words.keep_change}: ${text}`);
    const labels = asks ? { keep: words.save_it, drop: words.save_not } : {};
    const buttons = act ? proposalButtons(text, stage, decide, asks ? nothing : change, "link", labels) : [];
    return html`<li class="row ${stage}">${written(text, "triple")}${buttons}</li>`;
  };

  const some = (stage) => triples.some((triple) => triple.state === stage);
  const kept = asks ? words.fact_noted : isByItself ? words.keep_by_itself : words.keep_kept;
  const title = some("proposed") ? (asks ? words.save_this : words.keep_title) : some("kept") ? kept : words.keep_not;
  return html`<span>${title}</span><ul class="row triples" aria-label=${title}>${triples.map(chip)}</ul>`;
}
