// What panels share: each asks the server for something, and shows what comes of it, or why nothing did.

import { html, nothing, render } from "./lit.js";
import { ask, noted, words } from "./server.js";

/**
 * A panel: the element of its name, and what its handlers answer.
 *
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {any} props what the server told of it for good
 * @property {string} problem why nothing was done, in one sentence
 * @property {boolean} isAwaited whether something is being asked on the server
 * @property {(selector: string) => any} find finds an element in it
 * @property {() => void} draw shows everything anew
 * @property {(event: string, data?: object) => Promise<any>} ask returns what answers an event
 * @property {(event: string, data?: object) => Promise<any>} send asks for something; the answer, null where refused
 * @property {(sentence: string) => void} refuse says why something is not done; all that was typed stays
 */

/**
 * Make a panel.
 *
 * @param {string} name its name, and that of its element
 * @param {object} how
 * @param {() => any} how.view what it shows, as a template
 * @param {(told: any, sent: any) => void} how.receive takes what the server answers to what was sent, where it did not
 *   refuse
 * @param {() => object} [how.besides] what is sent with each event
 * @param {() => void} [how.refused] what happens where nothing is done
 * @returns {Panel}
 */
export function createPanel(name, { view, receive, besides = () => ({}), refused = () => {} }) {
  const element = document.getElementById(name);
  let asked = 0;
  let done = 0;
  const find = (selector) => element.querySelector(selector);
  const props = noted.panels[name];
  const panel = { element, props, problem: "", isAwaited: false, find, draw, ask: askPanel, send, refuse };

  function draw() {
    render(view(), element);
  }

  function askPanel(event, data = {}) {
    return ask(name, event, { ...besides(), ...data }).catch(() => ({ refused: words.lost }));
  }

  // An answer to what was asked before that which was done last is older, and is left out.
  async function send(event, data = {}) {
    const number = ++asked;
    const sent = { ...besides(), ...data };
    panel.isAwaited = true;
    const told = await askPanel(event, sent);
    if (number === asked || told.refused) panel.isAwaited = false;
    if (told.refused) {
      refuse(told.refused);
      return null;
    }
    if (number === asked) panel.problem = "";
    if (told.done) done = number;
    if (number >= done) receive(told, sent);
    draw();
    return told;
  }

  function refuse(sentence) {
    panel.problem = sentence;
    if (sentence) refused();
    draw();
  }

  return panel;
}

/** Why nothing was done, where something was refused. */
export function problemLine(panel) {
  return html`<p class="problem" role="alert" ?hidden=${!panel.problem}>${panel.problem || nothing}</p>`;
}
