// Asks before something is done that cannot be taken back, or that reaches other people.

// In the place of some buttons: the way back has the focus, and Escape takes it.
function askTwice(buttons, { question, label, keep, look }, go, back) {
  const sure = make("span", "entry-sure", question);
  sure.id = `asked-${performance.now()}`;
  sure.setAttribute("role", "status"); // what goes along is told a moment later
  const yes = makeButton(`button small ${look}`, label, () => {
    yes.disabled = true;
    go();
  });
  const no = makeButton("button small", keep, back);
  for (const button of [yes, no]) button.setAttribute("aria-describedby", sure.id);
  buttons.replaceChildren(sure, yes, no);
  // Only Escape: what returns false would take every other key from the buttons.
  buttons.onkeydown = (event) => {
    if (event.key === "Escape" && buttons.contains(no)) back();
  };
  buttons.scrollIntoView({ block: "nearest" });
  no.focus();
  return [yes, no];
}

// Beside a control, which has the focus again where the answer is no.
function askBeside(control, asked, go) {
  control.parentElement.querySelector(":scope > .asking")?.remove();
  const place = make("span", "buttons asking");
  control.after(place);
  const close = () => {
    place.remove();
    control.focus({ preventScroll: true });
  };
  const yes = () => {
    close();
    go();
  };
  askTwice(place, asked, yes, close);
}
