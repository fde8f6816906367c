// What the user has typed and the server has not taken yet, so that loading the page again does not lose it: `draft` in the
// message field, `question` on its way, `waiting` messages, `correction` (`turn`, `text`) in an open form. Each tab its own.

const STORED_AS = "noted-typed";

/** Return what was typed. */
export function typed() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED_AS)) ?? {};
  } catch {
    return {};
  }
}

/** Remember changes of it. */
export function remember(changes) {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify({ ...typed(), ...changes }));
  } catch {
    // The browser stores nothing, or not as much: then the text is only on the page.
  }
}
