// The languages to choose from, each by its own name, in its own script.

import { html } from "../shared/lit.js";
import { onChosen } from "../shared/panel.js";
import { language, noted, speak, words } from "../shared/server.js";

/** A list of the languages, of which one can be chosen. */
export function languageList() {
  const { pointed, walked, changed, left } = onChosen(language, speak);
  const option = ([code, name]) =>
    html`<option value=${code} lang=${code} ?selected=${code === language}>${name}</option>`;
  return html`<select class="head-language" aria-label=${words.language} @pointerdown=${pointed} @keydown=${walked} @change=${changed}
    @blur=${left}>${Object.entries(noted.languages).map(option)}</select>`;
}
