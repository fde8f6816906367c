// Which lesson was drafted of what was said of the answer.
cardParts.lessons = (part, { drafting, ...draft }, act) => {
  clearTimeout(part.looking);
  if (drafting) lookForDraft(part, 250);
  else drawDraft(part, draft, act && ((told) => act({ operation: "decide", of: "lesson", ...told })));
};

// The page asks again while it is being drafted, less and less often, and not for ever.
function lookForDraft(part, wait) {
  part.hidden = true;
  if (wait > 20_000) return;
  part.looking = setTimeout(() => {
    refresh();
    lookForDraft(part, wait * 1.5);
  }, wait);
}
