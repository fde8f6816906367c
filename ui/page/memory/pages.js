// Which entries are listed: what is chosen to filter them, and the page of them that is shown.

const filterFields = {};
let firstShown = 0;

function showFilters() {
  const group = element.querySelector(".memory-filters");
  group.setAttribute("aria-label", words.filters);
  for (const [name, values] of Object.entries(props.filters)) {
    const field = make("select", "memory-filter");
    field.setAttribute("aria-label", words[`filter_${name}`]);
    field.append(choice("", words[`filter_${name}_any`]));
    field.append(...values.map((value) => choice(value, words[`filter_${name}_${value}`] ?? value)));
    field.addEventListener("change", () => {
      firstShown = 0;
      say("");
      send("search");
    });
    filterFields[name] = field;
    group.append(field);
  }
}

function choice(value, label) {
  const option = make("option", "", label);
  option.value = value;
  return option;
}

function filters() {
  return Object.fromEntries(Object.entries(filterFields).map(([name, field]) => [name, field.value]));
}

function isFiltered() {
  return Object.values(filters()).some(Boolean);
}

function areChosen(chosen) {
  return Object.entries(filters()).every(([name, value]) => value === chosen[name]);
}

// The buttons that lead to newer and older entries; the focus stays at the one that was pressed, as long as it leads on.
function showPages({ first, total, more }) {
  firstShown = first;
  const pages = element.querySelector(".memory-pages");
  const focused = [...pages.children].indexOf(document.activeElement);
  pages.hidden = !first && !more;
  pages.setAttribute("aria-label", words.pages);
  const newer = makeButton("button", words.newer, () => turnTo(first - props.step));
  const older = makeButton("button", words.older, () => turnTo(first + props.step));
  newer.disabled = !first;
  older.disabled = !more;
  pages.replaceChildren(newer, older);
  if (focused >= 0 && total) [newer, older].find((button, place) => !button.disabled && place === focused)?.focus();
}

function turnTo(first) {
  firstShown = Math.max(0, first);
  send("search");
  element.querySelector(".memory-title").scrollIntoView({ block: "start", behavior: calmly() });
}
