// What the person has typed and the server has not taken yet, so that loading the page again does not lose it:
// `draft` in the message field, `question` on its way, `correction` (`turn`, `text`) in an open form. Each tab its own.

const KEPT_AS = "noted-typed";

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_AS)) ?? {};
  } catch {
    return {};
  }
}

function keep(changes) {
  try {
    sessionStorage.setItem(KEPT_AS, JSON.stringify({ ...kept(), ...changes }));
  } catch {
    // The browser keeps nothing, or not as much: then the text is only on the page.
  }
}
