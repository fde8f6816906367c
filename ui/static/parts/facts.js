// Facts that the message saved, and other statements about each.

import { formsIn } from "../shared/forms.js";
import { html, nothing } from "../shared/lit.js";
import { button, saidOtherwise } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled } from "../shared/text.js";

export default function facts(told, act, state, redraw) {
  const forms = formsIn(state, redraw);
  const relate = (entry, other, place, why = "") => act({ operation: "relate", entry, other, place, why });

  const otherLine = (fact, { id, text, when, counts, why }) => {
    const key = `${fact} ${id}`;
    if (forms.isOpen(key)) {
      const how = { save: words.count_beside, look: "link" };
      return forms.form(key, [{ label: words.count_why }], how, (said) => relate(fact, id, "beside", said));
    }
    const place = button("link", counts ? words.count_instead : words.count_beside, () =>
      relate(fact, id, counts ? "instead" : "beside"),
    );
    const both = counts ? [" ", forms.opener(key, "link", words.count_because)] : nothing;
    return html`<p class="hint">${saidOtherwise({ text, when, counts })}${act ? [" ", place, both] : nothing}</p>
      ${counts && why ? html`<p class="hint" dir="auto">${filled(words.counts_both, { why })}</p>` : nothing}`;
  };

  const factLine = ({
    id,
    undo,
    text,
    others,
  }) => html`<p class="fact"><strong class="noted">${words.fact_noted}</strong> <q dir="auto">${text}</q>${
    act ? [" ", button("link", words.undo, () => act({ operation: "undo_fact", entry: undo }))] : nothing
  }</p>
    ${others.map((other) => otherLine(id, other))}`;

  return told.map(factLine);
}
