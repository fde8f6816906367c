// A panel that reads a text on the server: some of it with each request, until it is done or stopped.

import { calmly, createPanel, fileButton, problemLine } from "./panel.js";
import { sendFile } from "./files.js";
import { html, nothing } from "./lit.js";
import { tooLong } from "./text.js";

const REST_MS = 5000; // after which it goes on by itself, where too much was asked for just now

/**
 * Make a panel that reads a text.
 *
 * @param {string} name
 * @param {object} how
 * @param {(name: string) => string} how.word one of its texts: title, text, file, stop, stopping
 * @param {string} how.accepted which files can be chosen
 * @param {boolean} [how.goesOn] whether the same text goes on after a stop, which then waits for what is being asked
 * @param {() => string} how.label what the button says that begins
 * @param {(text: string) => any} how.begin begins, by `run`, with what was typed
 * @param {() => [string, object] | null} how.next the next request; null where nothing is left to ask for
 * @param {(told: any) => any} how.take takes an answer; a promise where something must be decided before it goes on
 * @param {() => {said: string, done?: number, of?: number}} how.progress how far it is
 * @param {(isDone: boolean) => string} how.ended says what came of it, when it is done or stopped
 * @param {() => any} [how.fields] shows further fields
 * @param {() => void} [how.typed] hears that another text is there
 * @param {() => any} how.result shows what was read
 */
export function createReader(name, how) {
  const panel = createPanel(name, { view, receive: takeText });
  const { word } = how;
  const field = () => panel.find(`#${name}-text`);
  const reader = { panel, field, isGoing: () => running !== null, say, ask, run };
  let running = null; // the reading that goes on; an answer to one before it says nothing of it
  let isAwaited = false;
  let isStopping = false;
  let said = "";

  function say(sentence) {
    said = sentence;
    panel.draw();
  }

  /** Ask the server for something; null where it refused. */
  async function ask(event, data) {
    const told = await panel.ask(event, data);
    panel.refuse(told.refused ?? "");
    return told.refused ? null : told;
  }

  /** Ask for one part after another. */
  async function run() {
    const mine = (running = {});
    isStopping = false;
    for (let request = how.next(); request; request = how.next()) {
      say(how.progress().said);
      isAwaited = true;
      const told = await ask(...request);
      if (running !== mine) return;
      isAwaited = false;
      const decided = told && how.take(told);
      if (told?.why) panel.refuse(told.why);
      if (!told || told.why || (isStopping && how.next())) return end(false);
      await decided;
      if (told.wait) {
        say(told.wait);
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
      if (running !== mine) return;
    }
    end(true);
  }

  // What came of it is in sight of whoever is still there.
  function end(isDone) {
    running = null;
    isAwaited = false;
    say(how.ended(isDone));
    if (!panel.element.contains(document.activeElement)) return;
    panel.find(".drawer-said").scrollIntoView({ block: "nearest", behavior: calmly() });
  }

  function stop() {
    if (!how.goesOn || !isAwaited) return end(false);
    isStopping = true;
    say(word("stopping"));
  }

  function submit(event) {
    event.preventDefault();
    if (running) return stop();
    const text = field().value;
    const refused = tooLong(text, panel.props.longest);
    if (refused) panel.refuse(refused);
    else if (text.trim()) how.begin(text);
    else field().focus();
  }

  // The text of a file comes into the field, to be looked at.
  function takeText(told) {
    field().value = told.file_text;
    how.typed?.();
  }

  // One button begins and stops, so that it keeps the focus.
  function view() {
    return html`<form class="stack ${name}" autocomplete="off" @submit=${submit}>
        <label class="visually-hidden" for="${name}-text">${word("text")}</label>
        <textarea
          id="${name}-text"
          rows="4"
          dir="auto"
          placeholder=${word("text")}
          ?readonly=${running && how.goesOn}
          @input=${how.typed ?? nothing}
        ></textarea>
        ${how.fields?.() ?? nothing}
        <div class="buttons">
          <button class="button small ${running ? "" : "primary"}" type="submit">${running ? word("stop") : how.label()}</button>
          ${running ? nothing : fileButton(word("file"), how.accepted, (file) => sendFile(panel, file, "decode_file"))}
        </div>
      </form>
      ${problemLine(panel)} ${running && how.goesOn ? progressBar() : nothing}
      <p class="drawer-said" role="status" aria-live="polite">${said}</p>
      ${how.result()}`;
  }

  function progressBar() {
    const { done, of } = how.progress();
    return html`<progress class="progress-bar" aria-label=${word("title")} max=${of || 1} value=${done}></progress>`;
  }

  return reader;
}
