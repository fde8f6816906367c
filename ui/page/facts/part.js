cardParts.facts = (part, facts, act) => {
  const button = (label, told) => (act ? [" ", makeButton("link", label, told)] : []);
  const put = (fact, other, place, why = "") => act({ operation: "relate", entry: fact, other, place, why });
  const other = (fact, { id, text, when, counts, why }) => {
    const line = make("p", "hint");
    const both = () => writeInstead(line, { label: words.count_why, save: words.count_beside }, (said) => put(fact, id, "beside", said));
    line.append(...saidOtherwise({ text, when, counts }));
    line.append(...button(counts ? words.count_instead : words.count_beside, () => put(fact, id, counts ? "instead" : "beside")));
    if (counts) line.append(...button(words.count_because, both));
    return counts && why ? [line, makeWritten("p", "hint", filled(words.counts_both, { why }))] : [line];
  };
  part.replaceChildren(...facts.flatMap(({ id, undo, text, others }) => {
    const line = make("p", "fact");
    const said = text ? [make("strong", "noted", words.fact_noted), " ", makeWritten("q", "", text)] : [make("strong", "noted", words.message_noted)];
    line.append(...said, ...button(words.undo, () => act({ operation: "undo_fact", entry: undo })));
    return [line, ...others.flatMap((each) => other(id, each))];
  }));
};
