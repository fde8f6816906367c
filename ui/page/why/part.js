// Why?, and the reasons with what can be said of each. Nothing stands here before somebody asks.
cardParts.why = (part, { reasons, calls }, act) => {
  const button = (label, open) => makeButton("link", label, open);
  const say = (label, name, number) => button(label, () => act({ operation: "dispute", act: name, number }));

  const write = (place, label, told, isNeeded) =>
    writeInstead(place, { label, save: words.why_save, isNeeded }, (said) => act({ operation: "dispute", ...told, text: said }));

  const acts = (...buttons) => {
    const line = make("div", "foot");
    if (act) line.append(...buttons.map((make) => make(line)));
    return line;
  };

  // It blocks that step for every question, so it is asked about first.
  const notFollow = () => {
    const asked = { question: words.why_not_follow_sure, label: words.why_not_follow, keep: words.cancel, look: "danger" };
    const control = button(words.why_not_follow, () => askBeside(control, asked, () => act({ operation: "dispute", act: "does-not-follow" })));
    return control;
  };

  const premise = ({ number, text, origin, when, believed }) => {
    const line = make("li", believed ? "" : "disbelieved");
    const wrong = (place) => button(words.why_wrong, () => write(place, words.why_it_is, { act: "wrong", number }, false));
    const aside = () => say(words.why_aside, "does-not-matter", number);
    line.append(makeWritten("span", "", text), " ", make("span", "hint", filled(origin, { day: localDate(when) })));
    line.append(believed ? acts(wrong, aside) : acts(() => say(words.why_true, "true", number)));
    return line;
  };

  // Reasons that are there already wait until somebody asks; the focus stays on the button that opens and closes them.
  const isShown = Boolean(reasons && part.dataset.asked);
  const wasIn = part.contains(document.activeElement);
  const ask = button(words.why, () => {
    part.dataset.asked = isShown ? "" : "yes";
    if (reasons) cardParts.why(part, { reasons, calls }, act);
    else act({ operation: "why" });
  });
  ask.setAttribute("aria-expanded", String(isShown));
  part.replaceChildren(...(reasons || act ? [ask] : []));
  if (wasIn) ask.focus({ preventScroll: true });
  if (!isShown) return;
  const list = make("ol", "why-reasons");
  list.setAttribute("aria-label", words.why_reasons);
  list.append(...reasons.premises.map(premise));
  const below = acts(
    ...(reasons.premises.length ? [notFollow] : []),
    (place) => button(words.why_missing, () => write(place, words.why_missing_field, { act: "missing" }, true)),
    (place) => button(words.why_answer, () => write(place, words.why_answer_field, { act: "answer" }, true)),
    ...(calls ? [() => button(filled(words.why_think, { count: localNumber(calls) }), () => act({ operation: "retry", think: true }))] : []),
  );
  const verdict = make("p", "hint", reasons.verdict);
  const asks = reasons.asks ? [make("p", "notice", reasons.asks)] : [];
  part.append(verdict, list, ...asks, below);
};
