// What is said in words of one's own: a field in the place of the buttons; `told` hears the words.
function writeInstead(place, { label, save, isNeeded }, told) {
  const form = make("form", "foot");
  const field = makeWritten("input", "");
  field.placeholder = label;
  field.setAttribute("aria-label", label);
  field.required = isNeeded;
  field.enterKeyHint = "send";
  const send = make("button", "link accent", save);
  send.type = "submit";
  const before = [...place.childNodes];
  const opener = document.activeElement;
  const close = () => {
    place.replaceChildren(...before);
    opener.focus({ preventScroll: true });
  };
  form.append(field, makeButton("link", words.cancel, close), send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    told(field.value);
  });
  field.addEventListener("keydown", (event) => event.key === "Escape" && close());
  place.replaceChildren(form);
  field.focus({ preventScroll: true });
}
