// The fact sheet: sort, search, the page of one thing, import and export; lines can be changed, removed and erased.

import {
  button,
  createControls,
  createPanel,
  debounced,
  erasing,
  fileButton,
  headerQuestion,
  pageButtons,
  saidLines,
  saveFile,
  searchField,
  sendFile,
} from "../shared/panel.js";
import { html, nothing, repeat } from "../shared/lit.js";
import { listen, tell, words } from "../shared/server.js";
import { called, filled, lineFields, lineOf, lineText, localNumber, localTime } from "../shared/text.js";

const panel = createPanel("sheet", { view, receive, besides: () => ({ ...wanted, search: field().value }) });
const controls = createControls(panel);
const SIDES = ["subject", "relation", "object"];
let wanted = { of: "", order: "since", backwards: false, first: 0 };
let sheet = { lines: [], total: null, more: false, isNarrowed: false };
let header = null; // pending question about a file's header, with the file
let bad = []; // why lines of a file were rejected
const searchSoon = debounced(() => read({ first: 0 }), 250);

const field = () => panel.find(".sheet-search");
const rows = () => [...panel.element.querySelectorAll("tbody tr")];
const textOf = ({ subject, relation, object }) => lineText([subject, relation, object]);

function receive(told, sent) {
  if (told.header) [panel.said, header] = ["", { question: told.header, bytes: sent.bytes }];
  if (told.done) sayDone(told, sent);
  if (!told.lines) return;
  if (sent.search !== field().value) return look();
  wanted.first = told.first;
  sheet = { ...told, isNarrowed: Boolean(sent.search.trim() || sent.of) };
  drawInFocus();
}

function sayDone({ done, receipt, taken = 0, bad_total = 0, bad: why = [], file }, { format }) {
  panel.said = [filled(words[done], { count: taken, bad: bad_total }), receipt].filter(Boolean).join(" ");
  bad = why;
  if (file !== undefined) return saveFile(file, "noted-sheet", format, `text/${format}`);
  tell("memory", "sheet");
}

// Draw, and if the focused line disappears, focus the one in its place.
function drawInFocus() {
  const place = rows().findIndex((row) => row.contains(document.activeElement));
  panel.draw();
  if (place < 0 || panel.element.contains(document.activeElement)) return;
  const row = rows()[Math.min(place, sheet.lines.length - 1)];
  (row?.querySelector(".buttons button") ?? field()).focus({ preventScroll: true });
}

function view() {
  const { lines, total, more, isNarrowed } = sheet;
  const { of, order, first } = wanted;
  const { orders, step } = panel.props;
  const chooseOrder = ({ target }) => read({ order: target.value, backwards: false, first: 0 });
  const save = (format) => button("button small", words[`sheet_${format}`], () => panel.send("export", { format }));
  return html`<div class="row" ?hidden=${total === 0 && !isNarrowed}>
      ${searchField("sheet-search", words.sheet_search, searchSoon)}
      <select class="field-s quiet narrow-only" aria-label=${words.sheet_order} .value=${order} @change=${chooseOrder}>
        ${orders.map((name) => html`<option value=${name}>${words[`sheet_${name}`]}</option>`)}
      </select>
    </div>
    ${of ? thing(of, total) : nothing} ${saidLines(panel)} ${headerQuestion(panel, header?.question, takeInAgain)}
    <ul class="problem" ?hidden=${!bad.length}>${bad.map((why) => html`<li>${why}</li>`)}</ul>
    ${lines.length ? html`<div><p class="hint">${words.sheet_acts_what}</p>${table()}</div>` : nothing}
    <p class="hint" ?hidden=${total !== 0}>${isNarrowed ? words.found_none : words.sheet_none}</p>
    ${pageButtons([words.sheet_before, words.sheet_after], { first, step, more }, (to) => read({ first: to }))}
    <div class="buttons sheet-files">
      ${save("csv")}${save("json")}${fileButton(words.sheet_take_in, ".csv,.tsv,.txt,text/csv,text/plain", takeIn)}
    </div>`;
}

// Render the heading for one thing.
function thing(name, total) {
  return html`<div class="row">
    <h3 class="sheet-thing" dir="auto">${knownOf(name)}</h3>
    <span class="hint">${localNumber(total)}</span>
    ${button("button small", words.sheet_all, () => read({ of: "", first: 0 }))}
  </div>`;
}

function knownOf(name) {
  return { __proto__: null, I: words.sheet_of_you, we: words.sheet_of_us }[name] ?? filled(words.sheet_of, { name });
}

function table() {
  const { of, order, backwards } = wanted;
  const sorted = (column) => (backwards === (column === "since") ? "ascending" : "descending");
  const sort = (column) => read({ order: column, backwards: column === order && !backwards, first: 0 });
  const head = (column) => html`<th scope="col" aria-sort=${column === order ? sorted(column) : nothing}>
    ${button("link", words[`sheet_${column}`], () => sort(column))}
  </th>`;
  const row = (line) => html`<tr>${controls.isOpen(`${line.name} change_line`) ? changeForm(line) : cells(line)}</tr>`;
  return html`<table aria-label=${of ? knownOf(of) : words.sheet_title}>
    <thead><tr>
      ${[...SIDES, "since"].map(head)}
      <th scope="col">${words.sheet_from}</th>
      <th><span class="visually-hidden">${words.sheet_acts}</span></th>
    </tr></thead>
    <tbody>${repeat(sheet.lines, ({ name }) => name, row)}</tbody>
  </table>`;
}

function cells(line) {
  const name = `${line.name} forget`;
  const forget = () => controls.send(name, "forget", { line: line.name });
  const forgetting = () => controls.question(name, erasing(controls.weighed(name), textOf(line)), forget);
  const open = (of) => {
    field().value = "";
    read({ of, first: 0 });
  };
  const nameLink = (of) => button("link", called(of), () => open(of), { dir: "auto" });
  return html`<td>${nameLink(line.subject)}</td>
    <td><span dir="auto">${line.relation}</span></td>
    <td>${nameLink(line.object)}</td>
    <td>${localTime(line.since)}</td>
    <td><q dir="auto">${line.from}</q></td>
    <td>${controls.isOpen(name) ? forgetting() : lineButtons(line)}</td>`;
}

function lineButtons(line) {
  const control = (event, label, press) => {
    const name = `${line.name} ${event}`;
    return controls.control(name, "quiet", label, () => press(name), textOf(line));
  };
  const remove = (name) => controls.send(name, "remove_line", { line: line.name });
  return html`<div class="buttons">
    ${control("change_line", words.keep_change, controls.open)}
    ${control("remove_line", words.sheet_take_off, remove)}
    ${control("forget", words.forget, (name) => controls.weigh(name, { line: line.name }))}
  </div>`;
}

// Render three fields in place of the line.
function changeForm(line) {
  const name = `${line.name} change_line`;
  const change = (...values) => controls.send(name, "change_line", { line: line.name, text: lineOf(values) });
  const fields = lineFields([line.subject, line.relation, line.object]);
  return html`<td colspan="6">${controls.form(name, fields, { save: words.sheet_save }, change)}</td>`;
}

function read(told) {
  wanted = { ...wanted, ...told };
  return panel.send("look");
}

function takeIn(file) {
  header = null;
  panel.draw();
  sendFile(panel, file, "take_in");
}

function takeInAgain(hasHeader) {
  panel.send("take_in", { bytes: header.bytes, header: hasHeader });
  header = null;
  panel.draw();
  panel.find(".sheet-files input").previousElementSibling.focus({ preventScroll: true });
}

export const { look } = panel;

listen("memory", (what) => what !== "sheet" && look());
panel.draw();
