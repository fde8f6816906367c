// A proposal: what becomes of it, as buttons by its state, and the form that changes it; the same for every entry type.
// `act` is told what becomes of it; `change` opens the form; `look` is the class of the buttons.
function proposalButtons(text, state, act, change, look = "link") {
  const button = (label, told) => {
    const made = makeButton(look, label, told);
    made.setAttribute("aria-label", `${label}: ${text}`);
    return made;
  };
  const say = (label, name) => button(label, () => act({ act: name }));
  return [
    ...(state === "proposed" || state === "gone" ? [say(words.keep_keep, "keep")] : []),
    ...(state === "dropped" ? [] : [button(words.keep_change, change)]),
    ...(state === "proposed" ? [say(words.keep_drop, "discard")] : []),
    ...(state === "kept" || state === "dropped" ? [say(words.undo, "undo")] : []),
  ];
}

// Its fields, in its place; `read` says what is written in them.
function changeProposal(place, fields, read, act, look = "link") {
  const form = make("form", "foot change-form");
  const before = [...place.childNodes];
  const opener = document.activeElement;
  const close = () => {
    place.replaceChildren(...before);
    opener.focus({ preventScroll: true });
  };
  const save = make("button", `${look} ${look === "link" ? "accent" : "primary"}`, words.keep_keep);
  save.type = "submit";
  form.append(...fields, save, makeButton(look, words.cancel, close));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act({ act: "keep", text: read() });
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.shiftKey || event.target.tagName !== "TEXTAREA") return;
    event.preventDefault();
    form.requestSubmit();
  });
  place.replaceChildren(form);
  fields[0].focus({ preventScroll: true });
}

// A drafted lesson. `act` is null where nothing can be done.
function drawDraft(part, { rule, state }, act, look = "link") {
  const wasIn = part.contains(document.activeElement);
  const titles = { proposed: words.lessons_drafted, kept: words.lessons_kept, dropped: words.lessons_dropped, gone: words.lessons_gone };
  const line = make("p", `draft ${state}`);
  line.append(make("span", "hint", titles[state]), " ", makeWritten("span", "rule", rule));
  const change = () => {
    const field = makeWritten("textarea", "");
    Object.assign(field, { value: rule, required: true, rows: 2 });
    field.setAttribute("aria-label", words.lessons_words);
    changeProposal(part, [field], () => field.value, act, look);
  };
  const buttons = make("div", "foot");
  if (act) buttons.append(...proposalButtons(rule, state, act, change, look));
  part.replaceChildren(line, buttons);
  if (wasIn) part.querySelector("button")?.focus({ preventScroll: true });
}
