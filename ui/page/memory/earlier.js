// What an entry said before, and the way back to it.

function earlierWordings(entry) {
  if (!entry.earlier.length) return [];
  const details = make("details", "entry-keys");
  const count = entry.earlier.length;
  const sentence = count === 1 ? words.earlier_one : filled(words.earlier_many, { count: localNumber(count) });
  const rows = make("ol", "key-rows");
  rows.append(
    ...entry.earlier.map((old) => {
      const row = make("li", "key-row");
      row.append(makeWritten("span", "key-text", saying(old)), make("span", "hint", localTime(old.when)));
      const counted = words[`counts_${old.reach}`] ?? words[`reach_${old.reach}`];
      if (old.reach !== entry.reach) row.append(make("span", "hint", counted));
      if (old.question !== entry.question) {
        const asked = make("span", "hint", `${words.means} `);
        asked.append(makeWritten("q", "", old.question));
        row.append(asked);
      }
      return row;
    }),
  );
  const buttons = make("div", "buttons");
  showTakeBack(entry, buttons);
  details.append(named(make("summary", "entry-label", sentence), entry), rows, buttons);
  keepUnfolded(details, `earlier ${entry.id}`);
  return [details];
}

function showTakeBack(entry, buttons, focused = false) {
  const asked = { question: words.take_back_sure, label: words.take_back_yes, keep: words.cancel, look: "primary" };
  const take = makeButton("button small", words.take_back, () => {
    const back = () => {
      buttons.classList.remove("asking");
      showTakeBack(entry, buttons, true);
      showWhatWaited();
    };
    buttons.classList.add("asking");
    for (const button of askTwice(buttons, asked, () => send("revert", { entry: entry.id }), back)) named(button, entry);
  });
  buttons.replaceChildren(named(take, entry));
  if (focused) take.focus({ preventScroll: true });
}
