// The languages to choose from, each by its own name, in its own script.

import { html } from "../shared/lit.js";
import { language, noted, speak } from "../shared/server.js";

/** A button for each language. */
export function languageButtons() {
  return Object.entries(noted.languages).map(
    ([code, name]) => html`<button class="language" type="button" lang=${code} aria-pressed=${String(code === language)}
      @click=${() => code !== language && speak(code)}>${name}</button>`,
  );
}
