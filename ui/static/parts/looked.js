// Lookups of the answer, with their results.

import { html } from "../shared/lit.js";
import { words } from "../shared/server.js";

export default function looked(lookups) {
  const called = (name) => (name === "I" ? words.looked_you : name);
  const line = (sides) => sides.map(called).join(" · ");
  const wanted = ({ asked }) => line(asked.split(" | ").filter((side) => side !== "?"));
  const found = ({ subject, relation, object }) => html`<li dir="auto">${line([subject, relation, object])}</li>`;
  const missed = (lookup) =>
    html`<li dir="auto">${wanted(lookup)}: <em>${words[`looked_${lookup.outcome.replace(" ", "_")}`]}</em></li>`;
  return html`<p>${words.looked_up}</p>
    <ul class="listed">${lookups.map((lookup) => (lookup.found.length ? lookup.found.map(found) : missed(lookup)))}</ul>`;
}
