// A panel that sends a text to the server, and follows what is made of it until it is done or stopped.

import { createPanel, fileButton, saidLines, sendFile } from "./panel.js";
import { html, nothing } from "./lit.js";
import { follow, words } from "./server.js";
import { tooLong } from "./text.js";

const REST_MS = 5000; // pause before it resumes after the rate limit

/**
 * Create a panel that reads a text; `name` is also the prefix of its strings. `how` has:
 *
 * - `accepted`: file types; `isNeeded`: the text may not be empty; `goesOn`: the same text resumes after Stop;
 * - `label()`: returns the label of the start button; `fields()`: further fields; `typed()`: called when the text changes;
 * - `opens(file)`: fills the field from a file and returns true, or returns false for the server to decode it;
 * - `begin(text)`: starts, by `run`; `next()`: returns the next event that streams and its data, null at the end;
 * - `take(view)`: gets each view, and may return a promise to wait for a decision;
 * - `progress()`: returns `{ said, done, of }`; `ended(isDone)`: returns the summary; `result()`: renders the results.
 *
 * @param {string} name
 * @param {any} how
 */
export function createReader(name, how) {
  const panel = createPanel(name, { view, receive: takeText });
  const word = (key) => words[`${name}_${key}`];
  const field = () => panel.find(`#${name}-text`);
  const reader = { panel, field, isGoing: () => running !== null, run };
  let running = null; // aborts the current reading; views of an earlier one are discarded

  /** Follow streams one after another. */
  async function run() {
    const mine = (running = new AbortController());
    for (let request = how.next(); request; request = how.next()) {
      panel.say(how.progress().said);
      let told = {};
      let decided = null;
      const show = (view) => {
        if (running !== mine) return;
        told = view;
        if (!told.refused) decided = how.take(told);
        panel.say(how.progress().said);
      };
      await follow(name, ...request, show, mine.signal).catch(() => (told = { refused: words.lost }));
      if (running !== mine) return;
      panel.refuse(told.refused ?? "");
      if (panel.problem) return end(false);
      await decided;
      if (told.wait) {
        panel.say(told.wait);
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
      if (running !== mine) return;
    }
    end(true);
  }

  // Scroll to the result if the user is still there.
  function end(isDone) {
    running?.abort();
    running = null;
    panel.say(how.ended(isDone));
    if (!panel.element.contains(document.activeElement)) return;
    panel.find(".drawer-said").scrollIntoView({ block: "center" });
  }

  function submit(event) {
    event.preventDefault();
    if (running) return end(false);
    const text = field().value;
    const refused = tooLong(text, panel.props.longest);
    if (refused) panel.refuse(refused);
    else if (text.trim()) how.begin(text);
    else field().focus();
  }

  // Put the text of a file into the field, for review.
  function takeText(told) {
    if (told.file_text === undefined) return;
    field().value = told.file_text;
    how.typed?.();
  }

  const take = async (file) => (await how.opens?.(file)) || sendFile(panel, file, "decode_file");

  // One button starts and stops, so that it keeps the focus.
  function view() {
    return html`<form class="stack" autocomplete="off" @submit=${submit}>
        <textarea id="${name}-text" rows="4" dir="auto" placeholder=${word("text")} aria-label=${word("text")}
          ?required=${!running && how.isNeeded} ?readonly=${running && how.goesOn} @input=${how.typed ?? nothing}></textarea>
        ${how.fields?.() ?? nothing}
        <div class="buttons">
          <button class="button small ${running ? "" : "primary"}" type="submit">${running ? word("stop") : how.label()}</button>
          ${running ? nothing : fileButton(word("file"), how.accepted, take)}
        </div>
      </form>
      ${running && how.goesOn ? progressBar() : nothing} ${saidLines(panel)} ${how.result()}`;
  }

  function progressBar() {
    const { done, of } = how.progress();
    return html`<progress aria-label=${word("title")} max=${of || 1} value=${done}></progress>`;
  }

  return reader;
}
