// What each part of the page says: a title, one sentence, a plot, and the numbers of the plot as a table.

function corrections({ stretches }, width) {
  const first = stretches[0].all;
  const last = stretches.at(-1).all;
  const told = { corrected: number(first.corrected), questions: number(first.questions) };
  const later = { later: number(last.corrected), last: number(last.questions) };
  const sentence =
    stretches.length === 1 ? filled(words.corrections_once, told) : filled(words.corrections_changed, { ...told, ...later });
  const kinds = ["all", "with_memory", "without"];
  const series = kinds.map((kind, look) => ({ look, values: stretches.map((stretch) => stretch[kind].rate) }));
  const names = kinds.map((kind) => words[`corrections_${kind}`]);
  const rows = stretches.map((stretch) => [
    days(stretch.began, stretch.ended),
    ...kinds.flatMap((kind) => [number(stretch[kind].questions), number(stretch[kind].corrected)]),
  ]);
  const heads = [words.column_when, ...names.flatMap((name) => [name, `${name}: ${words.column_corrected}`])];
  const ends = [day(stretches[0].began), day(stretches.at(-1).ended)];
  const most = roundUp(Math.max(...series.flatMap(({ values }) => values), 4));
  const plots = overTime(sentence, width, series, ends, names, most);
  return section(words.corrections_title, sentence, plots, heads, rows, words.corrections_axis);
}

function usage({ used, helped, hurt, worked }) {
  const sentence = filled(words.usage_sentence, { used: number(used), helped: number(helped), hurt: number(hurt) });
  const most = Math.max(...worked.map((entry) => entry.used), 1);
  const bars = make("ul", "usage-bars");
  bars.append(...worked.map((entry) => usageBar(entry, most)));
  const names = legend([[0, words.column_used], [3, words.column_helped], [1, words.column_hurt]]);
  const rows = worked.length
    ? worked.map((entry) => [entry.text, number(entry.used), number(entry.helped), number(entry.hurt)])
    : [[words.column_everything, number(used), number(helped), number(hurt)]];
  const heads = [words.column_note, words.column_used, words.column_helped, words.column_hurt];
  return section(words.usage_title, sentence, worked.length ? [names, bars] : [], heads, rows);
}

function usageBar({ text, used, helped, hurt }, most) {
  const item = make("li", "usage-bar");
  const bar = make("div", "usage-line");
  bar.setAttribute("aria-hidden", "true");
  for (const [share, look] of [[used, 0], [helped, 3], [hurt, 1]]) {
    if (!share) continue;
    const part = make("span", `usage-part look-${look}`);
    part.style.width = `${(100 * share) / most}%`;
    bar.append(part);
  }
  const counts = filled(words.usage_counts, { used: number(used), helped: number(helped), hurt: number(hurt) });
  item.append(makeWritten("p", "usage-text", text), bar, make("p", "hint", counts));
  return item;
}

function calibration({ steps }, width) {
  const surest = steps.at(-1);
  const range = { from: number(surest.from), to: localPercent(surest.to / 100), kept: localPercent(surest.kept) };
  const sentence = filled(words.calibration_sentence, range);
  const rows = steps.map((step) => [
    `${number(step.from)}–${localPercent(step.to / 100)}`, number(step.used), number(step.helped), number(step.hurt), localPercent(step.kept),
  ]);
  const heads = [words.column_sure, words.column_used, words.column_helped, words.column_hurt, words.column_kept];
  const plots = [stepPlot(sentence, width, steps), legend([[0, words.column_kept], ["ideal", words.calibration_ideal]])];
  return section(words.calibration_title, sentence, plots, heads, rows, words.calibration_axis);
}

function growth({ growth: grown, remembered, never_used }, width) {
  const sentence = filled(words.growth_sentence, { count: number(remembered), never: number(never_used) });
  const kinds = ["clarifications", "examples"];
  const series = kinds.map((kind, look) => ({ look, values: grown.map((point) => point[kind]) }));
  const names = kinds.map((kind) => words[`growth_${kind}`]);
  const rows = grown.map((point) => [day(point.until), ...kinds.map((kind) => number(point[kind]))]);
  const plots = overTime(sentence, width, series, [day(grown[0].until), day(grown.at(-1).until)], names);
  return section(words.growth_title, sentence, plots, [words.column_until, ...names], rows);
}

function times({ times: { answers, median, slowest, parts } }) {
  const longest = parts.reduce((most, part) => (part.ms > most.ms ? part : most));
  const values = { answers: number(answers), median: duration(median), slowest: duration(slowest), part: words[longest.name] };
  const sentence = filled(words.times_sentence, values);
  const rows = parts.map(({ name, ms }) => [words[name], duration(ms)]);
  const plots = [stackedBar(sentence, parts), legend(parts.map(({ name }, look) => [look, words[name]]))];
  return section(words.times_title, sentence, plots, [words.column_part, words.column_time], rows);
}

function costs({ spent }, width) {
  const whole = spent.reduce((sum, { dollars: cost }) => sum + cost, 0);
  const sentence = filled(words.costs_sentence, { sum: dollars(whole), from: day(spent[0].day) });
  const rows = spent.map(({ day: date, dollars: cost }) => [day(date), dollars(cost)]);
  const most = Math.max(...spent.map(({ dollars: cost }) => cost));
  const ends = [day(spent[0].day), day(spent.at(-1).day)];
  const series = [{ look: 0, values: spent.map(({ dollars: cost }) => cost) }];
  const plots = overTime(sentence, width, series, ends, [], most || 1);
  return section(words.costs_title, sentence, plots, [words.column_when, words.column_cost], rows);
}

// Lines over time and their names; nothing for a single point in time, which the sentence tells better.
function overTime(sentence, width, series, ends, names, most) {
  if (series[0].values.length < 2) return [];
  const plot = linePlot(sentence, width, series, ends, most);
  return names.length ? [plot, legend(names.map((name, look) => [look, name]))] : [plot];
}

function section(title, sentence, plots, heads, rows, axis = "") {
  const part = make("section", "insight");
  const heading = make("h3", "insight-title", title);
  heading.id = `insight-${sections}`;
  sections += 1;
  part.setAttribute("aria-labelledby", heading.id);
  const table = make("details", "insight-numbers");
  table.append(make("summary", "entry-label", words.numbers), tableOf(heads, rows, `${title}: ${words.numbers}`));
  part.append(heading, make("p", "insight-sentence", sentence), ...(axis && plots.length ? [make("p", "hint", axis)] : []), ...plots, table);
  return part;
}

function tableOf(heads, rows, label) {
  const scroll = make("div", "insight-scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", label);
  const table = make("table", "insight-table");
  const head = make("tr", "");
  head.append(...heads.map((name) => Object.assign(make("th", "", name), { scope: "col" })));
  const body = make("tbody", "");
  for (const [first, ...values] of rows) {
    const row = make("tr", "");
    const name = makeWritten("th", "", first);
    name.scope = "row";
    row.append(name, ...values.map((value) => make("td", "", value)));
    body.append(row);
  }
  const top = make("thead", "");
  top.append(head);
  table.append(top, body);
  scroll.append(table);
  return scroll;
}

// A day, or a month of which no day is said.
function day(iso) {
  const isMonth = iso.length < 8;
  const when = new Date(isMonth ? `${iso}-01T00:00` : iso.length === 10 ? `${iso}T00:00` : iso);
  const format = isMonth ? { year: "numeric", month: "short" } : { dateStyle: "medium" };
  return dated(format, (written) => written.format(when));
}

function days(began, ended) {
  return dated({ dateStyle: "medium" }, (written) => written.formatRange(new Date(began), new Date(ended)));
}

function duration(ms) {
  if (ms < 1000) return filled(words.milliseconds, { count: number(ms, ms < 10 ? 1 : 0) });
  return filled(words.seconds, { count: number(ms / 1000) });
}

function dollars(cost) {
  return localNumber(cost, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
}
