// What the message tells of two things each, as chips: keep, drop, change; and what was said of them taken back.
cardParts.keep = (part, { triples, by_itself }, act) => {
  const chip = ({ number, subject, relation, object, state }) => {
    const text = [called(subject), relation, called(object)].join(" · ");
    const item = make("li", state);
    item.append(makeWritten("span", "triple", text));
    if (!act || state === "gone") return item;
    const actOn = (told) => act({ operation: "decide", of: "fact", number, ...told });
    const change = () => {
      const fields = [[words.keep_subject, subject], [words.keep_relation, relation], [words.keep_object, object]].map(([label, value]) => {
        const field = makeWritten("input", "");
        Object.assign(field, { value: toWrite(value), required: true });
        field.setAttribute("aria-label", label);
        return field;
      });
      changeProposal(item, fields, () => lineIn(fields), actOn);
    };
    item.append(...proposalButtons(text, state, actOn, change));
    return item;
  };

  const isAsked = triples.some(({ state }) => state === "proposed");
  const isKept = triples.some(({ state }) => state === "kept");
  const title = isAsked ? words.keep_title : isKept ? (by_itself ? words.keep_by_itself : words.keep_kept) : words.keep_not;
  const list = make("ul", "triples");
  list.setAttribute("aria-label", title);
  list.append(...triples.map(chip));
  part.replaceChildren(make("span", "hint", title), list);
};
