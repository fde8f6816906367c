// Which lesson was drafted of what was said of the answer: keep, change, drop; and what was said of it taken back.
cardParts.lessons = (part, { drafting, rule, state }, act) => {
  clearTimeout(part.looking);
  if (drafting) return lookForDraft(part, 1000);
  const wasIn = part.contains(document.activeElement);
  const titles = { proposed: words.lessons_drafted, kept: words.lessons_kept, dropped: words.lessons_dropped, gone: words.lessons_gone };
  const line = make("p", state);
  line.append(make("span", "hint", titles[state]), " ", makeWritten("span", "rule", rule));
  const buttons = make("div", "foot");
  if (act) buttons.append(...draftButtons(part, rule, state, act));
  part.replaceChildren(line, buttons);
  if (wasIn) part.querySelector("button")?.focus({ preventScroll: true });
};

// The page asks again while it is being drafted, less and less often, and not for ever.
function lookForDraft(part, wait) {
  part.replaceChildren();
  part.hidden = true;
  if (wait > 20_000) return;
  part.looking = setTimeout(() => {
    refresh();
    lookForDraft(part, wait * 1.3);
  }, wait);
}

function draftButtons(part, rule, state, act) {
  const button = (label, told) => {
    const made = makeButton("link", label, told);
    made.setAttribute("aria-label", `${label}: ${rule}`);
    return made;
  };
  const say = (label, name) => button(label, () => act({ act: name }));
  return [
    ...(state === "proposed" || state === "gone" ? [say(words.keep_keep, "keep")] : []),
    ...(state === "dropped" ? [] : [button(words.keep_change, () => changeDraft(part, rule, act))]),
    ...(state === "proposed" ? [say(words.keep_drop, "drop")] : []),
    ...(state === "kept" || state === "dropped" ? [say(words.undo, "undo")] : []),
  ];
}

// Its words, in a field in their place.
function changeDraft(part, rule, act) {
  const form = make("form", "foot");
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
  const save = make("button", "link accent", words.keep_keep);
  save.type = "submit";
  form.append(field, save, makeButton("link", words.cancel, close));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act({ act: "keep", words: field.value });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  part.replaceChildren(form);
  field.focus({ preventScroll: true });
}
