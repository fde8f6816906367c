// What the page uses of lit-html; `npm run lit` makes ui/static/shared/lit.js of it.
export { html, nothing, render, svg } from "lit-html";
export { keyed } from "lit-html/directives/keyed.js";
export { live } from "lit-html/directives/live.js";
export { ref } from "lit-html/directives/ref.js";
export { repeat } from "lit-html/directives/repeat.js";
