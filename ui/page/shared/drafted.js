// A lesson that was drafted: what it says, and what becomes of it. `act` is told that, and is null where nothing can be
// done; `look` is the class of the buttons.
function drawDraft(part, { rule, state }, act, look = "link") {
  const wasIn = part.contains(document.activeElement);
  const titles = { proposed: words.lessons_drafted, kept: words.lessons_kept, dropped: words.lessons_dropped, gone: words.lessons_gone };
  const line = make("p", `draft ${state}`);
  line.append(make("span", "hint", titles[state]), " ", makeWritten("span", "rule", rule));
  const buttons = make("div", "foot");
  if (act) buttons.append(...draftButtons(part, rule, state, act, look));
  part.replaceChildren(line, buttons);
  if (wasIn) part.querySelector("button")?.focus({ preventScroll: true });
}

function draftButtons(part, rule, state, act, look) {
  const button = (label, told) => {
    const made = makeButton(look, label, told);
    made.setAttribute("aria-label", `${label}: ${rule}`);
    return made;
  };
  const say = (label, name) => button(label, () => act({ act: name }));
  return [
    ...(state === "proposed" || state === "gone" ? [say(words.keep_keep, "keep")] : []),
    ...(state === "dropped" ? [] : [button(words.keep_change, () => changeDraft(part, rule, act, look))]),
    ...(state === "proposed" ? [say(words.keep_drop, "drop")] : []),
    ...(state === "kept" || state === "dropped" ? [say(words.undo, "undo")] : []),
  ];
}

// Its words, in a field in their place.
function changeDraft(part, rule, act, look) {
  const form = make("form", "foot draft-form");
  const field = makeWritten("textarea", "");
  field.value = rule;
  field.required = true;
  field.rows = 2;
  field.setAttribute("aria-label", words.lessons_words);
  const before = [...part.childNodes];
  const close = () => {
    part.replaceChildren(...before);
    part.querySelector("button").focus({ preventScroll: true });
  };
  const save = make("button", `${look} ${look === "link" ? "accent" : "primary"}`, words.keep_keep);
  save.type = "submit";
  form.append(field, save, makeButton(look, words.cancel, close));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act({ act: "keep", words: field.value });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
  part.replaceChildren(form);
  field.focus({ preventScroll: true });
}
