// The page: shows its panels, those of a tab when it is first opened, and what concerns all of them.

import { listen } from "./shared/server.js";

const AT_ONCE = ["header", "conversations", "conversation"];

// A page that frames this one may ask for its own colours, as Hugging Face does.
const theme = new URLSearchParams(window.location.search).get("__theme");
if (["dark", "light"].includes(theme)) document.documentElement.classList.add(theme);

// Keys that an input method takes, to choose a candidate or end a word, reach no handler of the page. Browsers mark them
// with `isComposing`; Safari sends the Enter that ends a word after the composition, marked by the key code 229 alone.
window.addEventListener(
  "keydown",
  (event) => (event.isComposing || event.keyCode === 229) && event.stopImmediatePropagation(),
  true,
);

/** Show a panel, and return what reads it anew, if anything does. */
async function mount(name) {
  const { look } = await import(`./${name}/${name}.js`);
  return look;
}

const looks = {};

listen("view", (pane) => {
  for (const { id: name } of document.querySelectorAll(`#${pane}-pane > .panel`)) {
    looks[name] ??= mount(name);
    looks[name].then((look) => look?.());
  }
});
const [lookAtHead] = await Promise.all(AT_ONCE.map(mount));
lookAtHead();
