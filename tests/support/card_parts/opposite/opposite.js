import { html } from "../shared/lit.js";
import { button } from "../shared/panel.js";

export default function opposite(question, act) {
  const clarify = () => act({ operation: "clarify", text: "I meant the opposite" });
  return html`<q dir="auto">${question}</q>${act ? button("button small", "The opposite!", clarify) : ""}`;
}
