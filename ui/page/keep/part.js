// What the message tells of two things each, as chips: keep, drop, change; and what was said of them taken back.
cardParts.keep = (part, { triples, by_itself }, act) => {
  const text = ({ subject, relation, object }) => [called(subject), relation, called(object)].join(" · ");

  const change = (item, { number, subject, relation, object }) => {
    const form = make("form");
    const fields = [[words.keep_subject, subject], [words.keep_relation, relation], [words.keep_object, object]].map(([label, value]) => {
      const field = makeWritten("input", "");
      field.value = toWrite(value);
      field.required = true;
      field.setAttribute("aria-label", label);
      return form.appendChild(field);
    });
    const before = [...item.childNodes];
    const opener = document.activeElement;
    const close = () => {
      item.replaceChildren(...before);
      opener.focus({ preventScroll: true });
    };
    const save = make("button", "link accent", words.keep_keep);
    save.type = "submit";
    form.append(save, makeButton("link", words.cancel, close));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      act({ act: "keep", number, words: lineIn(fields) });
    });
    form.addEventListener("keydown", (event) => event.key === "Escape" && close());
    item.replaceChildren(form);
    fields[0].focus({ preventScroll: true });
  };

  const chip = (triple) => {
    const { number, state } = triple;
    const item = make("li", state);
    item.append(makeWritten("span", "triple", text(triple)));
    if (!act) return item;
    const button = (label, told) => {
      const made = makeButton("link", label, told);
      made.setAttribute("aria-label", `${label}: ${text(triple)}`);
      return made;
    };
    const say = (label, name) => button(label, () => act({ act: name, number }));
    if (state === "gone") return item;
    if (state === "proposed") item.append(say(words.keep_keep, "keep"), say(words.keep_drop, "drop"));
    if (state !== "dropped") item.append(button(words.keep_change, () => change(item, triple)));
    if (state === "kept" || state === "dropped") item.append(say(words.undo, "undo"));
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
