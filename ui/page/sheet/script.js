// The fact sheet: sort, search, one thing's page, files. What is told of things is drawn by `rows.js`.

const search = find(".sheet-search");
const order = find(".sheet-order");
const said = find(".drawer-said");
const bad = find(".sheet-bad");
let wanted = { of: "", order: "since", backwards: false, first: 0 };
let shown = null;
let chosen = null; // the file

besides = () => ({ ...wanted, search: search.value });

function receive(value) {
  if (value.header) return askHeader(value.header, (header) => takeIn(chosen, header));
  if (value.weighed) return showTakes(value);
  if (value.done) afterwards(value);
  if (value.search !== search.value) return send("look");
  const { of, order, backwards, first } = value;
  wanted = { of, order, backwards, first };
  if (!value.done && shown && isSame(value.lines, shown.lines) && isSame(wanted, shown.wanted)) return;
  if (!value.done && find("form, .entry-sure")) return;
  const focused = value.done ? placeOfFocus() : -1;
  shown = { lines: value.lines, wanted };
  show(value);
  if (focused >= 0) focusRow(focused);
}

function afterwards(value) {
  const numbers = { count: localNumber(value.taken ?? 0), bad: localNumber(value.bad_total ?? 0) };
  said.textContent = [filled(words[value.done], numbers), value.receipt].filter(Boolean).join(" ");
  bad.replaceChildren(...(value.bad ?? []).map((why) => make("li", "", why)));
  bad.hidden = !bad.hasChildNodes();
  if (value.file !== undefined) saveFile(value.file, "sheet", value.format);
  else window.dispatchEvent(new CustomEvent("noted:memory", { detail: "sheet" }));
}

function placeOfFocus() {
  const row = document.activeElement?.closest?.("#sheet tbody tr");
  return row ? [...row.parentElement.children].indexOf(row) : -1;
}

function focusRow(place) {
  const rows = element.querySelectorAll("tbody tr");
  (rows[Math.min(place, rows.length - 1)]?.querySelector(".buttons button") ?? search).focus({ preventScroll: true });
}

function show({ lines, total, first, more, of }) {
  const table = sheetTable(lines, wanted, { sort, open, act: send });
  table.setAttribute("aria-label", of ? knownOf(of) : words.sheet_title);
  find(".sheet-table").replaceChildren(...(lines.length ? [table] : []));
  const isNarrowed = Boolean(search.value.trim() || of);
  find(".sheet-empty").hidden = lines.length > 0;
  find(".sheet-empty").textContent = isNarrowed ? words.found_none : words.sheet_none;
  find(".sheet-tools").hidden = !total && !isNarrowed;
  order.value = wanted.order;
  showThing(of, total);
  const pages = find(".sheet-pages");
  pages.hidden = !first && !more;
  const newer = makeButton("button", words.sheet_before, () => send("look", { first: Math.max(0, first - props.step) }));
  const older = makeButton("button", words.sheet_after, () => send("look", { first: first + props.step }));
  newer.disabled = !first;
  older.disabled = !more;
  pages.replaceChildren(newer, older);
}

function knownOf(name) {
  const speakers = new Map([["I", words.sheet_of_you], ["we", words.sheet_of_us]]);
  return speakers.get(name) ?? filled(words.sheet_of, { name });
}

// One thing's page: everything that is told of it.
function showThing(of, total) {
  const part = find(".sheet-of");
  part.hidden = !of;
  if (!of) return part.replaceChildren();
  const title = make("h3", "sheet-thing", knownOf(of));
  title.dir = "auto";
  const back = makeButton("button small", words.sheet_all, () => send("look", { of: "", first: 0 }));
  part.replaceChildren(title, make("span", "hint", localNumber(total)), back);
}

function sort(column) {
  send("look", { order: column, backwards: column === wanted.order && !wanted.backwards, first: 0 });
}

function open(name) {
  search.value = "";
  send("look", { of: name, first: 0 });
}

// What goes along with a fact that somebody is about to forget.
function showTakes({ weighed, takes }) {
  const row = [...element.querySelectorAll("tbody tr")].find((one) => one.dataset.name === weighed);
  const sure = row?.querySelector(".entry-sure");
  if (!sure) return;
  const kinds = Object.entries(takes).filter(([, number]) => number);
  const things = kinds.map(([kind, number]) => filled(words[`count_${kind}${number === 1 ? "_one" : ""}`], { count: localNumber(number) }));
  const what = new Intl.ListFormat(locale).format(things);
  sure.textContent = things.length ? filled(words.forget_takes, { what }) : words.forget_alone;
}

function takeIn(file, header = null) {
  chosen = file;
  forgetHeader();
  sendFile(file, "take_in", { header });
}

function fileButtons() {
  const download = (format) => makeButton("button small", words[`sheet_${format}`], () => send("export", { format }));
  const accepted = ".csv,.tsv,.txt,text/csv,text/plain";
  const taking = fileButton(words.sheet_take_in, accepted, takeIn);
  return [download("csv"), download("json"), ...taking];
}

find(".drawer-title").textContent = words.sheet_title;
find(".sheet-what").textContent = words.sheet_what;
search.setAttribute("aria-label", words.sheet_search);
search.placeholder = words.sheet_search;
order.setAttribute("aria-label", words.sheet_order);
order.append(...props.orders.map((name) => {
  const option = make("option", "", words[`sheet_${name}`]);
  option.value = name;
  return option;
}));
order.addEventListener("change", () => send("look", { order: order.value, backwards: false, first: 0 }));
find(".sheet-files").append(...fileButtons());
let typing = null;
search.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => send("look", { first: 0 }), 250);
});
window.addEventListener("noted:memory", ({ detail }) => detail !== "sheet" && send("look"));
listenTo(receive);
