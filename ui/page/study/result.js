// What was made: each question with its answer, the others behind one gesture, and what can be done with all of them.

function keptOnes() {
  return made.filter(({ all }) => all.length).map(({ all, best }) => all[best]);
}

function showMade() {
  const list = find(".study-made");
  const shown = made.filter(({ all }) => all.length);
  list.hidden = !shown.length;
  list.tabIndex = 0;
  list.setAttribute("aria-label", words.study_title);
  // Those that are there stay: what was unfolded in them, too.
  if (list.children.length > shown.length) list.replaceChildren();
  list.append(...shown.slice(list.children.length).map(oneQuestion));
  find(".study-use").hidden = isGoing || !shown.length;
  find(".study-use").replaceChildren(...useButtons());
}

function oneQuestion({ all, best }) {
  const item = make("li", "study-one");
  item.append(makeWritten("p", "study-question", all[best].question), answerLine(all[best]));
  const others = all.filter((_, place) => place !== best);
  if (!others.length) return item;
  const drawer = make("details");
  const count = { count: localNumber(others.length) };
  drawer.append(make("summary", "hint", others.length === 1 ? words.study_others_one : filled(words.study_others, count)));
  if (all[best].scores.length) drawer.append(make("p", "hint", words.study_chosen), ...scoreBars(all[best].scores));
  const list = make("ul", "study-others");
  for (const one of others) {
    const other = make("li");
    other.append(makeWritten("p", "", one.question), answerLine(one), ...scoreBars(one.scores));
    list.append(other);
  }
  drawer.append(list);
  item.append(drawer);
  return item;
}

function answerLine({ said: answer }) {
  const line = make("p", "hint", `${words.study_answer} `);
  line.append(makeWritten("span", "", answer));
  return line;
}

function useButtons() {
  const cell = (value) => `"${value.replaceAll('"', '""')}"`;
  const lines = (write) => keptOnes().map((one) => [one.question, one.said].map(write));
  const practised = () => [["question", "answer"], ...lines((value) => value.replace(/\s+/g, " "))].map((pair) => pair.join("\t"));
  const asCsv = () => ["question,answer", ...lines(cell).map((pair) => pair.join(","))].join("\n") + "\n";
  const plain = ({ question, said: answer, scores }) => ({
    question,
    answer,
    scores: Object.fromEntries(scores.map(({ by, score }) => [by.replace("study_by_", ""), score])),
  });
  const asJson = () => JSON.stringify(made.map(({ sentence, all, best }) => ({ sentence, best, all: all.map(plain) })), null, 1);
  return [
    makeButton("button small primary", words.study_practise, () => {
      window.dispatchEvent(new CustomEvent("noted:practise", { detail: practised().join("\n") }));
    }),
    makeButton("button small", words.copy, ({ currentTarget }) => {
      copyText(keptOnes().map((one) => `${one.question}\n${one.said}`).join("\n\n"), currentTarget);
    }),
    makeButton("button small", words.study_csv, () => saveFile(asCsv(), "questions", "csv")),
    makeButton("button small", words.study_json, () => saveFile(asJson(), "questions", "json")),
  ];
}

show();
listenToReader(receive);
