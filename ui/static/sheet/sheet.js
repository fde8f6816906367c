// The fact sheet: sort, search, the page of one thing, import and export; lines can be changed, removed and erased.

import {
  button,
  confirmation,
  createPanel,
  fileButton,
  focused,
  onEscape,
  problemLine,
  saveFile,
} from "../shared/panel.js";
import { headerQuestion, sendFile } from "../shared/files.js";
import { html, nothing, ref, repeat } from "../shared/lit.js";
import { listen, tell, words } from "../shared/server.js";
import { called, erasureQuestion, filled, lineOf, localNumber, localTime, toWrite } from "../shared/text.js";

const panel = createPanel("sheet", { view, receive, besides: () => ({ ...wanted, search: field().value }) });
const SIDES = ["subject", "relation", "object"];
const CHANGE = Symbol("change");
let wanted = { of: "", order: "since", backwards: false, first: 0 };
let sheet = { lines: [], total: null, more: false, isNarrowed: false };
let begun = new Map(); // by name of a line: `CHANGE`, or the confirmation to erase it
let header = null; // pending question about a file's header, with the file
let said = "";
let bad = []; // why lines of a file were rejected
let typing = 0;

const field = () => panel.find(".sheet-search");
const rows = () => [...panel.element.querySelectorAll("tbody tr")];

function receive(told, sent) {
  if (told.header) [said, header] = ["", { question: told.header, bytes: sent.bytes }];
  if (told.takes && begun.has(sent.line)) begun.set(sent.line, erasureQuestion(told.takes));
  if (told.done) sayDone(told, sent);
  if (!told.lines) return;
  if (sent.search !== field().value) return look();
  wanted = { of: sent.of, order: sent.order, backwards: sent.backwards, first: told.first };
  sheet = { ...told, isNarrowed: Boolean(sent.search.trim() || sent.of) };
  const left = told.lines.filter(({ name }) => begun.has(name));
  begun = new Map(left.map(({ name }) => [name, begun.get(name)]));
  drawInFocus();
}

function sayDone({ done, receipt, taken = 0, bad_total = 0, bad: why = [], file }, { format }) {
  const count = { count: localNumber(taken), bad: localNumber(bad_total) };
  said = [filled(words[done], count), receipt].filter(Boolean).join(" ");
  bad = why;
  if (file !== undefined) return saveFile(file, "noted-sheet", format, `text/${format}`);
  begun.clear();
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
  const chooseOrder = ({ target }) => read({ order: target.value, backwards: false, first: 0 });
  const turn = (label, to, isThere) => button("button", label, () => read({ first: to }), { isDisabled: !isThere });
  const save = (format) => button("button small", words[`sheet_${format}`], () => panel.send("export", { format }));
  return html`<div class="row" ?hidden=${total === 0 && !isNarrowed}>
      <input class="sheet-search" type="search" dir="auto" autocomplete="off" maxlength="500"
        placeholder=${words.sheet_search} aria-label=${words.sheet_search} @input=${searchSoon} />
      <select class="field-s memory-filter sheet-order" aria-label=${words.sheet_order} .value=${order} @change=${chooseOrder}>
        ${panel.props.orders.map((name) => html`<option value=${name}>${words[`sheet_${name}`]}</option>`)}
      </select>
    </div>
    <div class="row" ?hidden=${!of}>${of ? thing(of, total) : nothing}</div>
    ${problemLine(panel)}
    <p class="drawer-said strong" role="status" aria-live="polite">${said}</p>
    ${headerQuestion(panel, header?.question, takeInAgain)}
    <ul class="problem" ?hidden=${!bad.length}>${bad.map((why) => html`<li>${why}</li>`)}</ul>
    <div>${lines.length ? [html`<p class="hint">${words.sheet_acts_what}</p>`, table()] : nothing}</div>
    <p class="hint" ?hidden=${total !== 0}>${isNarrowed ? words.found_none : words.sheet_none}</p>
    <div class="buttons" role="group" ?hidden=${!first && !more}>
      ${turn(words.sheet_before, Math.max(0, first - panel.props.step), first)}
      ${turn(words.sheet_after, first + panel.props.step, more)}
    </div>
    <div class="buttons sheet-files">
      ${save("csv")}${save("json")}${fileButton(words.sheet_take_in, ".csv,.tsv,.txt,text/csv,text/plain", takeIn)}
    </div>`;
}

// Render the heading for one thing.
function thing(name, total) {
  return html`<h3 class="sheet-thing" dir="auto">${knownOf(name)}</h3>
    <span class="hint">${localNumber(total)}</span>
    ${button("button small", words.sheet_all, () => read({ of: "", first: 0 }))}`;
}

function knownOf(name) {
  const speakers = { I: words.sheet_of_you, we: words.sheet_of_us };
  return Object.hasOwn(speakers, name) ? speakers[name] : filled(words.sheet_of, { name });
}

function table() {
  const { of, order, backwards } = wanted;
  const sorted = (column) => (backwards === (column === "since") ? "ascending" : "descending");
  const head = (column) => html`<th scope="col" aria-sort=${column === order ? sorted(column) : nothing}>
    ${button("link", words[`sheet_${column}`], () => sort(column))}
  </th>`;
  const row = (line) =>
    html`<tr data-name=${line.name}>${begun.get(line.name) === CHANGE ? changeForm(line) : cells(line)}</tr>`;
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
  const nameLink = (name) =>
    html`<button class="link" type="button" dir="auto" title=${words.sheet_open} @click=${() => open(name)}>${called(name)}</button>`;
  return html`<td>${nameLink(line.subject)}</td>
    <td><span dir="auto">${line.relation}</span></td>
    <td>${nameLink(line.object)}</td>
    <td>${localTime(line.since)}</td>
    <td><q dir="auto">${line.from}</q></td>
    <td>${begun.has(line.name) ? forgetting(line) : lineButtons(line)}</td>`;
}

function lineButtons(line) {
  const named = (label, go) => button("button small quiet", label, go, { name: `${label}: ${textOf(line)}` });
  return html`<div class="buttons">
    ${named(words.keep_change, () => begin(line, CHANGE))}
    ${named(words.sheet_take_off, () => act("remove_line", line))}
    ${named(words.forget, () => begin(line, words.forget_sure))}
  </div>`;
}

function forgetting(line) {
  const labels = { question: begun.get(line.name), label: words.forget_yes, keep: words.forget_no, name: textOf(line) };
  const go = () => act("forget", line);
  const back = () => end(line, ":last-child");
  return confirmation({ ...labels, look: "danger filled", isDisabled: panel.isAwaited }, go, back);
}

// Render three fields in place of the line; Escape cancels.
function changeForm(line) {
  const cancel = () => end(line, ":first-child");
  const change = (event) => {
    event.preventDefault();
    const values = [...event.target.querySelectorAll("input")].map(({ value }) => value);
    act("change_line", line, { text: lineOf(values) });
  };
  const input = (side, place) => html`<input dir="auto" required value=${toWrite(line[side])}
    aria-label=${words[`sheet_${side}`]} ${ref(place ? undefined : focused)} />`;
  return html`<td colspan="6"><form class="row" @submit=${change} @keydown=${onEscape(cancel)}>
    ${SIDES.map(input)}
    <button class="button small primary" type="submit">${words.sheet_save}</button>
    ${button("button small", words.cancel, cancel)}
  </form></td>`;
}

function textOf({ subject, relation, object }) {
  return [called(subject), relation, called(object)].join(" · ");
}

function begin(line, what) {
  begun.set(line.name, what);
  if (what === CHANGE) panel.draw();
  else act("weigh", line);
}

function act(event, line, told = {}) {
  panel.send(event, { line: line.name, ...told });
  panel.draw();
}

// Close the form, and focus the button that opened it.
function end(line, which) {
  begun.delete(line.name);
  panel.draw();
  panel.find(`[data-name="${line.name}"] .buttons > ${which}`).focus({ preventScroll: true });
}

function read(told) {
  return panel.send("look", told);
}

function sort(column) {
  read({ order: column, backwards: column === wanted.order && !wanted.backwards, first: 0 });
}

function open(name) {
  field().value = "";
  read({ of: name, first: 0 });
}

function searchSoon() {
  clearTimeout(typing);
  typing = setTimeout(() => read({ first: 0 }), 250);
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

/** Refresh the lines. */
export function look() {
  return read({});
}

listen("memory", (what) => what !== "sheet" && look());
panel.draw();
