// Settings: token usage of recent answers, retention of conversations, and API tokens.

import { closeButton, createPanel, problemLine } from "../shared/panel.js";
import { html, nothing } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { filled, localNumber } from "../shared/text.js";
import { look as lookAtTokens } from "../tokens/tokens.js";

const panel = createPanel("settings", { view, receive: (told) => (usage = told) });
const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("settings-dialog"));
let usage = null;

function view() {
  return html`<div class="spread"><h2 id="settings-title">${words.settings}</h2>${closeButton(dialog)}</div>
    ${problemLine(panel)}
    <section class="stack" aria-labelledby="settings-usage">
      <h3 id="settings-usage">${words.settings_usage}</h3>
      ${usage ? usageLines(usage) : nothing}
    </section>
    <p class="hint">${filled(words.settings_kept, { days: panel.props.keep_days })}</p>`;
}

function usageLines({ times: { answers, median, slowest }, taken }) {
  const { answers: of, told, prompt, reply, each, dollars } = taken;
  const estimated = of - told;
  const time = { median: seconds(median), slowest: seconds(slowest), answers };
  const lines = [
    answers ? filled(words.settings_time, time) : words.settings_unused,
    of && filled(words.settings_tokens, { prompt: Math.round(prompt), reply: Math.round(reply) }),
    estimated && filled(words.settings_estimated, { count: estimated, answers: of }),
    dollars && filled(words.settings_cost, { each: inDollars(each), sum: inDollars(dollars) }),
  ];
  return lines.filter(Boolean).map((line) => html`<p>${line}</p>`);
}

function seconds(ms) {
  const count = localNumber(ms / 1000, { maximumFractionDigits: ms < 10_000 ? 1 : 0 });
  return filled(words.settings_seconds, { count });
}

function inDollars(cost) {
  const digits = cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 4 };
  return localNumber(cost, { style: "currency", currency: "USD", ...digits });
}

/** Open the dialog and refresh it. */
export function openDialog() {
  dialog.showModal();
  panel.look();
  lookAtTokens();
}

panel.draw();
