// The page: its panels, and what concerns all of it.

import { noted } from "./noted.js";
import { perform } from "./transport.js";

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

// Panels that are scripts of one scope: each gets its element, its props, and what it listens to and sends.
async function mountScript(name) {
  const { default: mount } = await import(`./panels/${name}.js`);
  const element = document.getElementById(name);
  const watchers = [];
  const props = { ...noted.panels[name].props, value: null };
  const show = (value) => {
    props.value = value;
    for (const watcher of watchers) watcher();
  };
  const trigger = (event, told, signal) => {
    const at = told?.at === undefined ? {} : { at: told.at };
    const answered = perform(name, event, told, (view) => show({ ...view, ...at }), signal);
    answered.catch(() => {});
    return answered;
  };
  element.innerHTML = noted.panels[name].template;
  mount({ element, props, trigger, watch: (_value, watcher) => watchers.push(watcher) });
  return trigger;
}

const triggers = Object.fromEntries(
  await Promise.all(Object.keys(noted.panels).map(async (name) => [name, await mountScript(name)])),
);
window.addEventListener("noted:view", ({ detail }) => {
  const at = Date.now();
  for (const [name, { look }] of Object.entries(noted.panels)) if (look && document.getElementById(name).closest(`#${detail}-pane`)) triggers[name](look, { at });
});
window.dispatchEvent(new CustomEvent("noted:ready"));
