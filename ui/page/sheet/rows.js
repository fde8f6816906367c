// The table of the fact sheet, and one of its lines: read, changed, taken off, forgotten.

const COLUMNS = ["subject", "relation", "object", "since", "from"];
const textOf = ({ subject, relation, object }) => [called(subject), relation, called(object)].join(" · ");

function sheetTable(lines, { order, backwards }, { sort, open, act }) {
  const table = make("table");
  const row = make("tr");
  for (const column of COLUMNS) {
    const head = make("th");
    head.scope = "col";
    if (column === "from") head.textContent = words.sheet_from;
    else {
      head.append(makeButton("link", words[`sheet_${column}`], () => sort(column)));
      if (column === order) head.setAttribute("aria-sort", backwards === (column === "since") ? "ascending" : "descending");
    }
    row.append(head);
  }
  const last = make("th");
  last.append(make("span", "visually-hidden", words.sheet_acts));
  row.append(last);
  const head = make("thead");
  head.append(row);
  const body = make("tbody");
  body.append(...lines.map((line) => sheetRow(line, open, act)));
  table.append(head, body);
  return table;
}

function sheetRow(line, open, act) {
  const row = make("tr");
  row.dataset.name = line.name;
  const cell = (content) => {
    const made = make("td");
    made.append(content);
    return made;
  };
  const thing = (name) => {
    const button = makeButton("link", called(name), () => open(name));
    button.dir = "auto";
    button.title = words.sheet_open;
    return button;
  };
  const buttons = make("div", "buttons");
  row.append(
    cell(thing(line.subject)),
    cell(makeWritten("span", "", line.relation)),
    cell(thing(line.object)),
    cell(localTime(line.since)),
    cell(makeWritten("q", "", line.from)),
    cell(buttons),
  );
  showButtons(row, line, buttons, act);
  return row;
}

function showButtons(row, line, buttons, act, focused = "") {
  const named = (button) => {
    button.setAttribute("aria-label", `${button.textContent}: ${textOf(line)}`);
    return button;
  };
  const change = named(makeButton("button small quiet", words.keep_change, () => changeLine(row, line, act)));
  const off = named(makeButton("button small quiet", words.sheet_take_off, () => act("remove_line", { line: line.name })));
  const forget = named(makeButton("button small quiet", words.forget, () => {
    const asked = { question: words.forget_sure, label: words.forget_yes, keep: words.forget_no, look: "danger filled" };
    const back = () => showButtons(row, line, buttons, act, "forget");
    for (const one of askTwice(buttons, asked, () => act("forget", { line: line.name }), back)) named(one);
    act("weigh", { line: line.name });
  }));
  buttons.onkeydown = null;
  buttons.replaceChildren(change, off, forget);
  ({ change, forget })[focused]?.focus({ preventScroll: true });
}

// Three fields in the place of the line; what was there comes back with Escape.
function changeLine(row, line, act) {
  const before = [...row.children];
  const cell = make("td", "sheet-changing");
  cell.colSpan = COLUMNS.length + 1;
  const form = make("form", "drawer-row");
  const back = () => {
    row.replaceChildren(...before);
    showButtons(row, line, row.querySelector(".buttons"), act, "change");
  };
  const fields = ["subject", "relation", "object"].map((side) => {
    const field = makeWritten("input", "");
    field.value = toWrite(line[side]);
    field.required = true;
    field.setAttribute("aria-label", words[`sheet_${side}`]);
    return form.appendChild(field);
  });
  const save = make("button", "button small primary", words.sheet_save);
  save.type = "submit";
  form.append(save, makeButton("button small", words.cancel, back));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act("change_line", { line: line.name, text: lineIn(fields) });
  });
  form.addEventListener("keydown", (event) => event.key === "Escape" && back());
  cell.append(form);
  row.replaceChildren(cell);
  fields[0].focus({ preventScroll: true });
}
