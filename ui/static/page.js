// The page: shows its panels, those of a tab when it is first opened, and what concerns all of them.

import { follow, listen, noted, speak } from "./shared/server.js";

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

/** Show a panel, and return what reads it anew. */
async function mount(name) {
  if (noted.panels[name].template === undefined) return (await import(`./${name}/${name}.js`)).look;
  return mountScript(name);
}

// A panel that is a script of one scope: it gets its element, its props, and what it listens to and sends.
async function mountScript(name) {
  /** @type {any} */ (window).noted = Object.assign(noted, { speak });
  const { default: script } = await import(`./panels/${name}.js`);
  const element = document.getElementById(name);
  const watchers = [];
  const props = { ...noted.panels[name].props, value: null };
  const trigger = (event, told, signal) => {
    const at = told?.at === undefined ? {} : { at: told.at };
    const show = (view) => {
      props.value = { ...view, ...at };
      for (const watcher of watchers) watcher();
    };
    const answered = follow(name, event, told, show, signal);
    answered.catch(() => {});
    return answered;
  };
  element.innerHTML = noted.panels[name].template;
  script({ element, props, trigger, watch: (_value, watcher) => watchers.push(watcher) });
  const { look } = noted.panels[name];
  return look && (() => void trigger(look, { at: Date.now() }));
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
