// Under which wordings an entry is found beside its question: who wrote each; add, change, remove.

const unfolded = new Set();
// The place among the wordings that gets the focus when the list comes back.
let placeOfKey = 0;

function keyList(entry) {
  const details = make("details", "entry-keys");
  const count = entry.keys.length;
  const sentence = count === 1 ? words.keys_one : filled(words.keys_many, { count: localNumber(count) });
  const rows = make("ul", "key-rows");
  const adding = make("div", "buttons");
  details.append(
    named(make("summary", "entry-label", count ? sentence : words.keys_none), entry),
    make("p", "hint", words.keys_hint),
    rows,
    adding,
  );
  keepUnfolded(details, `keys ${entry.id}`);
  showKeys(entry, rows, adding);
  return details;
}

// What somebody unfolded stays so when the list is shown anew.
function keepUnfolded(details, name) {
  details.open = unfolded.has(name);
  details.firstChild.addEventListener("click", () => (details.open ? unfolded.delete(name) : unfolded.add(name)));
}

function showKeys(entry, rows, adding) {
  const closed = (place) => {
    showKeys(entry, rows, adding);
    focusKey(rows.parentElement, place);
    showWhatWaited();
  };
  rows.replaceChildren(
    ...entry.keys.map((key, place) => {
      const row = make("li", "key-row");
      const buttons = make("div", "buttons");
      const change = makeButton("button small quiet", words.key_change, () =>
        row.replaceChildren(keyForm(entry, key.text, place, () => closed(place))),
      );
      const remove = makeButton("button small quiet", words.key_remove, () => {
        remove.disabled = true;
        sendKey(entry, key.text, "", place);
      });
      for (const button of [change, remove]) button.setAttribute("aria-label", `${button.textContent}: ${key.text}`);
      buttons.append(change, remove);
      row.append(makeWritten("span", "key-text", key.text), make("span", "hint", words[key.by]), buttons);
      return row;
    }),
  );
  const last = entry.keys.length;
  const add = makeButton("button small", words.key_add, () =>
    adding.replaceChildren(keyForm(entry, "", last, () => closed(last))),
  );
  adding.replaceChildren(named(add, entry));
}

function keyForm(entry, text, place, close) {
  const form = make("form", "stack key-form");
  const label = make("label", "entry-label", words.key_label);
  const field = make("input");
  field.type = "text";
  field.dir = "auto";
  field.autocomplete = "off";
  field.id = label.htmlFor = `key-${entry.id}-${place}`;
  field.value = text;
  const save = make("button", "button small primary", words.save_change);
  save.type = "submit";
  const buttons = make("div", "buttons");
  buttons.append(save, makeButton("button small", words.cancel, close));
  form.append(label, field, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (save.disabled) return;
    const written = field.value.trim();
    if (!written || written === text) return close();
    const refused = tooLong(written, props.longest_key);
    if (refused) return refuse(refused, form);
    save.disabled = true;
    sendKey(entry, text, written, place);
  });
  field.addEventListener("keydown", (event) => event.key === "Escape" && close());
  setTimeout(() => field.focus({ preventScroll: true }));
  return form;
}

function sendKey(entry, before, after, place) {
  placeOfKey = place;
  send("change_key", { entry: entry.id, old: before, new: after });
}

function focusKey(within, place = placeOfKey) {
  const rows = within.querySelectorAll(".key-row");
  const row = rows[Math.min(place, rows.length - 1)];
  (row ?? within.querySelector(".entry-keys .buttons")).querySelector("button").focus({ preventScroll: true });
}
