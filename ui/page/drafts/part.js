// Several ways to answer: a button that has them written, and then the others behind one gesture, each with what speaks
// for it and a button that takes it.
cardParts.drafts = (part, { calls, others, shown, taken, takes }, act) => {
  if (!others) {
    const label = calls ? filled(words.drafts_try_calls, { count: localNumber(calls) }) : words.drafts_try;
    return part.replaceChildren(...(act ? [makeButton("link", label, () => act({ operation: "drafts" }))] : []));
  }
  if (!others.length) return part.replaceChildren(make("p", "hint", words.drafts_none));

  const draft = ({ number, understanding, answer, text, scores: each }) => {
    const item = make("li", "draft");
    const said = make("p", "hint", `${words.drafts_understood} `);
    said.append(makeWritten("span", "", understanding));
    const written = makeWritten("div", "answer");
    written.append(safeMarkup(answer));
    const take = makeButton("link accent", words.drafts_take, () => act({ operation: "take", number }));
    take.setAttribute("aria-label", `${words.drafts_take}: ${text.slice(0, 80)}`);
    item.append(...(understanding ? [said] : []), written, ...scoreBars(each), ...(act && takes ? [take] : []));
    return item;
  };
  const count = { count: localNumber(others.length) };
  const drawer = make("details");
  drawer.open = part.querySelector("details")?.open ?? false;
  drawer.append(make("summary", "hint", others.length === 1 ? words.drafts_one : filled(words.drafts_many, count)));
  if (shown.length) drawer.append(make("p", "hint", words.drafts_shown), ...scoreBars(shown));
  const list = make("ol", "drafts");
  list.append(...others.map(draft));
  drawer.append(list);
  const undo = () => makeButton("link", words.undo, () => act({ operation: "take", number: 0 }));
  const line = make("p", "hint", `${words.drafts_taken} `);
  if (act && takes) line.append(undo());
  part.replaceChildren(...(taken ? [line] : []), drawer);
};
