cardParts.facts = (part, facts, act) => {
  const button = (label, told) => (act ? [" ", makeButton("link", label, () => act(told))] : []);
  const other = (fact, { id, text, when, counts }) => {
    const line = make("p", "hint");
    line.append(...saidOtherwise({ text, when, counts }));
    line.append(...button(counts ? words.count_instead : words.count_beside, { fact, other: id, place: counts ? "instead" : "beside" }));
    return line;
  };
  part.replaceChildren(...facts.flatMap(({ id, undo, text, others }) => {
    const line = make("p", "fact");
    line.append(make("strong", "noted", words.fact_noted), " ", makeWritten("q", "", text), ...button(words.undo, { undo }));
    return [line, ...others.map((each) => other(id, each))];
  }));
};
