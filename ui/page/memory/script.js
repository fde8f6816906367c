// The list of what is remembered: search as you type, change in place, forget in two steps.

const find = (selector) => element.querySelector(selector);
const searchField = find(".memory-search");
const count = find(".memory-count");
// What came of what somebody did stands beside the control that they used: in its entry, or with what is about all of them.
const receipt = make("p", "memory-receipt");
const problem = make("p", "problem");
problem.setAttribute("role", "alert");
const empty = find(".memory-empty");
const list = find(".memory-entries");
let waiting = 0;
let current = { entries: [], search: "", first: 0 };
let whenClosed = null;
let asker = ""; // the entry that somebody did something about
let asked = ""; // and what

function send(event, data = {}) {
  if (event === "weigh" || data.entry || isAboutAll(event)) say("");
  if (event !== "weigh" && (data.entry || isAboutAll(event))) {
    asker = data.entry ?? "";
    asked = event;
  }
  const shown = { search: searchField.value, filters: filters(), first: firstShown, shown: props.step };
  askServer(event, { ...data, ...shown }, () => refuse(words.lost));
}

function isAboutAll(event) {
  return ["export", "forget_all", "piece"].includes(event);
}

function say(sentence, at = cardOf(asker) ?? find(".memory-everything")) {
  receipt.textContent = sentence;
  find(".memory-aloud").textContent = sentence;
  receipt.remove();
  if (!sentence) return;
  at.append(receipt);
  // With the control that was used, if there is room for both.
  const shown = at.offsetHeight < window.innerHeight / 2 ? at : receipt;
  shown.scrollIntoView({ block: "nearest", behavior: calmly() });
}

function cardOf(id) {
  return [...list.children].find((card) => card.dataset.id === id);
}

// Says why something was not done; all that was typed stays.
function refuse(sentence, at = cardOf(asker) ?? find(".memory-everything")) {
  if (sentence) at.append(problem);
  problem.textContent = sentence;
  problem.hidden = !sentence;
  if (sentence) for (const button of element.querySelectorAll("button")) button.disabled = false;
}

function receive(listing) {
  if (!listing) return;
  // What is wrong with what somebody types stays beside it while the list is read anew.
  const isLast = isAnswer(listing);
  if (listing.refused || (isLast && (listing.done || !problem.closest("form")))) refuse(listing.refused ?? "");
  if (listing.refused) return stopBringingIn();
  if (listing.weighed) return showTakes(listing);
  if (["received", "taking", "imported"].some((name) => name in listing)) return goOnBringingIn(listing);
  if (listing.done && listing.done !== "exported") window.dispatchEvent(new CustomEvent("noted:memory", { detail: listing.done }));
  if (listing.done) afterEverything(listing);
  // Opened again with something in the search field, or typed on meanwhile.
  if (listing.search !== searchField.value || !areChosen(listing.filters)) return send("search");
  if (!listing.done && listing.search === current.search && listing.first === current.first && list.querySelector("form, .asking")) {
    whenClosed = listing;
    return;
  }
  show(listing);
}

function show(listing) {
  const focused = listing.done && !isEverything(listing) ? placeOf(listing) : null;
  whenClosed = null;
  if (listing.changed && unfolded.has(`more ${asker}`)) unfolded.add(`more ${listing.changed}`);
  if (listing.done || !isSame(listing.entries, current.entries)) list.replaceChildren(...listing.entries.map(entryCard));
  current = listing;
  showPages(listing);
  showCount(listing);
  const item = list.children[focused ?? -1];
  if (listing.done) {
    asker = listing.changed ?? "";
    const beside = isEverything(listing) ? find(".memory-everything") : (item ?? find(".memory-empty"));
    say([words[listing.done], listing.receipt].filter(Boolean).join(" "), beside);
  } else if (receipt.isConnected) receipt.scrollIntoView({ block: "nearest", behavior: calmly() });
  if (focused === null) return;
  if (item && listing.done === "keys_changed") focusKey(item);
  else {
    const used = asked === "reach" && item?.querySelector(".entry-reach");
    (used || item?.querySelector(".entry-line > .buttons > button") || searchField).focus({ preventScroll: true });
  }
}

// Where in the list the focus goes: to the entry that was changed, or to the one after what was erased.
function placeOf({ entries, changed }) {
  if (changed) return entries.findIndex((entry) => entry.id === changed);
  const left = new Set(entries.map((entry) => entry.id));
  const erased = current.entries.findIndex((entry) => !left.has(entry.id));
  return Math.min(erased, entries.length - 1);
}

function showCount({ entries, total, first, search }) {
  const isNarrowed = Boolean(search.trim()) || isFiltered();
  const number = localNumber(total);
  const akin = entries.filter((entry) => entry.by_meaning).length;
  const shown = entries.length - akin;
  const nothing = isFiltered() ? words.filtered_none : words.found_none;
  let sentence = isNarrowed && !entries.length ? nothing : "";
  if (total > shown) {
    const range = { from: localNumber(first + 1), to: localNumber(first + shown), count: number };
    sentence = filled(isNarrowed ? words.found_range : words.remembered_range, range);
  } else if (total === 1) sentence = isNarrowed ? words.found_one : words.remembered_one;
  else if (total) sentence = filled(isNarrowed ? words.found_many : words.remembered_many, { count: number });
  const more = akin && filled(words.found_akin, { count: localNumber(akin) });
  count.textContent = [sentence, more].filter(Boolean).join(" · ");
  empty.hidden = entries.length > 0;
  find(".memory-filters").hidden = !total && !isNarrowed;
  const hints = [make("p", "start-title", words.remembered_none), make("p", "start-line", words.remembered_none_hint)];
  empty.replaceChildren(...(isNarrowed ? [] : hints));
}

function entryCard(entry) {
  const item = make("li", "memory-entry");
  item.dataset.id = entry.id;
  const text = makeWritten("p", "entry-text", entry.text);
  const given = make("p", "entry-label", `${entry.example ? words.example : words.means} `);
  given.append(makeWritten("q", "entry-question", entry.question));
  const counts = entry.example || entry.reach === "way" ? "" : words[`counts_${entry.reach}`];
  const facts = [entry.by_meaning && words.by_meaning, counts, entry.found && usedHowOften(entry.used), localDate(entry.when)];
  const title = make("p", "entry-title");
  title.append(lesson(entry));
  const said = make("p", "entry-label", entry.learnt ? words.lesson_learnt : words.you_said);
  const more = make("details", "entry-more");
  more.append(named(make("summary", "entry-label", facts.filter(Boolean).join(" · ")), entry));
  if (entry.text !== entry.sentence) more.append(said, text);
  if (entry.question !== entry.text) more.append(given);
  if (entry.why_both) more.append(makeWritten("p", "entry-label", filled(words.counts_both, { why: entry.why_both })));
  const rarely = make("div", "buttons");
  more.append(rarely, ...earlierWordings(entry), ...(entry.found ? [keyList(entry)] : []));
  keepUnfolded(more, `more ${entry.id}`);
  const buttons = make("div", "buttons");
  const line = make("div", "entry-line");
  line.append(more, buttons);
  item.append(title, ...offerLine(entry), ...restsLines(entry), line);
  showButtons(entry, item, buttons);
  return item;
}

// That, and for which questions, it is not used.
function restsLines(entry) {
  if (entry.rests) return [make("p", "entry-rests", words.rests)];
  return entry.not_for.map((question) => {
    const line = make("p", "entry-rests", `${words.not_for} `);
    line.append(makeWritten("q", "", question));
    return line;
  });
}

function usedHowOften(used) {
  if (!used) return words.used_never;
  return used === 1 ? words.used_once : filled(words.used_often, { count: localNumber(used) });
}

// For which questions it counts. One conversation is among them only where it was said in one.
function reachField(entry) {
  const field = make("select", "entry-reach");
  for (const reach of ["way", "question", "conversation"]) {
    const option = make("option", "", words[`reach_${reach}`]);
    option.value = reach;
    option.selected = entry.reach === reach;
    if (reach !== "conversation" || entry.of_turn) field.append(option);
  }
  field.setAttribute("aria-label", `${words.reach_label} ${saying(entry)}`);
  onChosen(field, (reach) => send("reach", { entry: entry.id, reach }));
  return field;
}

function named(button, entry) {
  button.setAttribute("aria-label", `${button.textContent}: ${saying(entry)}`);
  return button;
}

function close(entry, item, buttons, focused) {
  showButtons(entry, item, buttons, focused);
  showWhatWaited();
}

function showWhatWaited() {
  if (whenClosed) show(whenClosed);
}

function showButtons(entry, item, buttons, focused = "") {
  item.querySelector(":scope > form")?.remove();
  item.querySelector(".entry-title").hidden = false;
  const edit = named(makeButton("button small", words.edit, () => openEdit(entry, item, buttons)), entry);
  const erase = named(makeButton("button small danger", words.forget, () => askToForget(entry, item, buttons)), entry);
  const resume = named(makeButton("button small", words.resume, () => {
    resume.disabled = true;
    send("resume", { entry: entry.id });
  }), entry);
  const [offer] = offerButtons(entry, item, buttons);
  const isKeptBack = entry.rests || entry.not_for.length > 0;
  buttons.replaceChildren(...[isKeptBack && resume, !entry.example && edit, erase].filter(Boolean));
  const rarely = [!entry.example && !entry.sentence && reachField(entry), offer].filter(Boolean);
  item.querySelector(".entry-more > .buttons").replaceChildren(...rarely);
  ({ edit, offer, forget: erase })[focused]?.focus({ preventScroll: true });
}

function askToForget(entry, item, buttons) {
  const asked = { question: words.forget_sure, label: words.forget_yes, keep: words.forget_no, look: "danger filled" };
  askAbout(entry, item, buttons, "forget", asked);
  send("weigh", { entry: entry.id });
}

// What goes along with an entry that somebody is about to forget.
function showTakes({ weighed, takes }) {
  const kinds = Object.entries(takes).filter(([, number]) => number);
  const things = kinds.map(([kind, number]) => filled(words[`count_${kind}${number === 1 ? "_one" : ""}`], { count: localNumber(number) }));
  const what = new Intl.ListFormat(locale).format(things);
  if (weighed === "everything") return showAllTakes(what);
  const sure = cardOf(weighed)?.querySelector(".entry-line > .asking .entry-sure");
  if (!sure) return;
  sure.textContent = what ? filled(words.forget_takes, { what }) : words.forget_alone;
  sure.parentElement.scrollIntoView({ block: "nearest" });
}

// Asks before an event about an entry is sent; whoever says no gets its buttons back, and the focus to the one that asked.
function askAbout(entry, item, buttons, event, asked) {
  const back = () => {
    buttons.classList.remove("asking");
    close(entry, item, buttons, event);
  };
  buttons.classList.add("asking");
  for (const button of askTwice(buttons, asked, () => send(event, { entry: entry.id }), back)) named(button, entry);
}

function openEdit(entry, item, buttons) {
  const form = make("form", "stack entry-form");
  const label = make("label", "", entry.sentence ? words.edit_sentence : words.edit_label);
  const field = make("textarea");
  field.dir = "auto";
  field.rows = 2;
  field.id = label.htmlFor = `edit-${entry.id}`;
  field.value = entry.text;
  const save = make("button", "button small primary", words.save_change);
  save.type = "submit";
  const cancel = makeButton("button small", words.cancel, () => close(entry, item, buttons, "edit"));
  const row = make("div", "buttons");
  row.append(save, cancel);
  form.append(label, field, row);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (save.disabled) return;
    if (!field.value.trim() || field.value === entry.text) return close(entry, item, buttons, "edit");
    const refused = tooLong(field.value, props.longest);
    if (refused) return refuse(refused, form);
    save.disabled = true;
    send("edit", { entry: entry.id, text: field.value });
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close(entry, item, buttons, "edit");
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
  buttons.replaceChildren();
  item.querySelector(".entry-title").hidden = true;
  item.prepend(form);
  growToFit(field);
  form.scrollIntoView({ block: "nearest" });
  field.focus({ preventScroll: true });
}

find(".memory-title").textContent = words.memory_title;
searchField.placeholder = words.search;
searchField.setAttribute("aria-label", words.search);
searchField.addEventListener("input", () => {
  firstShown = 0;
  say("");
  clearTimeout(waiting);
  waiting = setTimeout(() => send("search"), 150);
});
window.addEventListener("noted:offers", () => send("search"));
window.addEventListener("noted:memory", ({ detail }) => ["practice", "lessons"].includes(detail) && send("search"));
showFilters();
showEverything();
watch("value", () => receive(props.value));
receive(props.value);
