// What each part of the page says: a title, one sentence, a plot, and the numbers of the plot as a table.

const ENOUGH = 8;

function corrections({ stretches }, width) {
  // What only a few questions rest on stands in the numbers, but is no rate.
  const drawn = stretches.filter(({ all }) => all.rate !== null);
  const kinds = ["all", "with_memory", "without"];
  const series = kinds.map((kind, look) => ({ look, values: drawn.map((stretch) => stretch[kind].rate) }));
  const names = kinds.map((kind) => words[`corrections_${kind}`]);
  const rows = stretches.map((stretch) => [
    days(stretch.began, stretch.ended),
    ...kinds.flatMap((kind) => [number(stretch[kind].questions), number(stretch[kind].corrected)]),
  ]);
  const heads = [words.column_when, ...names.flatMap((name) => [name, `${name}: ${words.column_corrected}`])];
  const sentence = correctionsSentence(stretches, drawn);
  const most = roundUp(Math.max(...series.flatMap(({ values }) => values), 4));
  const plots = overTime(sentence, width, { series, ends: ends(drawn), names, most });
  return section(words.corrections_title, sentence, plots, heads, rows, words.corrections_axis);
}

function correctionsSentence(stretches, drawn) {
  if (drawn.length < 2) {
    const sum = (name) => number(stretches.reduce((whole, { all }) => whole + all[name], 0));
    return filled(words.corrections_once, { corrected: sum("corrected"), questions: sum("questions") });
  }
  const [first, last] = [drawn[0].all, drawn.at(-1).all];
  const told = { corrected: number(first.corrected), questions: number(first.questions) };
  return filled(words.corrections_changed, { ...told, later: number(last.corrected), last: number(last.questions) });
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
  return section(words.usage_title, sentence, used >= ENOUGH && worked.length ? [names, bars] : [], heads, rows);
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

function times({ times: { answers, median, slowest, parts } }) {
  const longest = parts.reduce((most, part) => (part.ms > most.ms ? part : most));
  const values = { answers: number(answers), median: duration(median), slowest: duration(slowest), part: words[longest.name] };
  const sentence = filled(words.times_sentence, values);
  const rows = parts.map(({ name, ms }) => [words[name], duration(ms)]);
  const plots = [stackedBar(sentence, parts), legend(parts.map(({ name }, look) => [look, words[name]]))];
  return section(words.times_title, sentence, plots, [words.column_part, words.column_time], rows);
}

function tokens({ taken: { answers, told, prompt, reply, each, dollars: cost } }) {
  const isPriced = cost > 0;
  const means = { prompt: number(prompt, 0), reply: number(reply, 0) };
  const prices = isPriced ? { each: dollars(each), sum: dollars(cost) } : {};
  const sentence = filled(isPriced ? words.tokens_priced_sentence : words.tokens_sentence, { ...means, ...prices });
  const guessed = { count: number(answers - told), answers: number(answers) };
  const hints = told < answers ? [make("p", "hint", filled(words.tokens_estimated, guessed))] : [];
  const heads = [words.column_answers, words.tokens_prompt, words.tokens_reply, ...(isPriced ? [words.tokens_each] : [])];
  const row = [number(answers), means.prompt, means.reply, ...(isPriced ? [prices.each] : [])];
  return section(words.tokens_title, sentence, hints, heads, [row]);
}

function costs({ spent }, width) {
  const whole = spent.reduce((sum, { dollars: cost }) => sum + cost, 0);
  const sentence = filled(words.costs_sentence, { sum: dollars(whole), from: day(spent[0].day) });
  const rows = spent.map(({ day: date, dollars: cost }) => [day(date), dollars(cost)]);
  const values = spent.map(({ dollars: cost }) => cost);
  const wholeDays = [day(spent[0].day), day(spent.at(-1).day)];
  const shape = { series: [{ look: 0, values }], ends: wholeDays, names: [], most: evenDollars(values), asText: dollars };
  const plots = overTime(sentence, width, shape);
  return section(words.costs_title, sentence, plots, [words.column_when, words.column_cost], rows);
}

// Lines over time and their names; nothing for few points in time, which would look like more than they say.
function overTime(sentence, width, { series, ends, names, most, asText }) {
  if (series[0].values.length < ENOUGH) return [];
  const plot = linePlot(sentence, width, series, ends, most, asText);
  return names.length ? [plot, legend(names.map((name, look) => [look, name]))] : [plot];
}

function section(title, sentence, plots, heads, rows, axis = "") {
  const part = make("section", "stack insight");
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

function day(iso) {
  const when = new Date(iso.length === 10 ? `${iso}T00:00` : iso);
  return dated({ dateStyle: "medium" }, (written) => written.format(when));
}

function days(began, ended) {
  return dated({ dateStyle: "medium" }, (written) => written.formatRange(new Date(began), new Date(ended)));
}

// When the first of what followed one another began, and the last ended.
function ends(points) {
  return points.length ? [day(points[0].began), day(points.at(-1).ended)] : [];
}

function duration(ms) {
  if (ms < 1000) return filled(words.milliseconds, { count: number(ms, ms < 10 ? 1 : 0) });
  return filled(words.seconds, { count: number(ms / 1000) });
}

function evenDollars(costs) {
  return roundUp(Math.max(...costs), 0.000001);
}

function dollars(cost) {
  const digits = cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 4 };
  return localNumber(cost, { style: "currency", currency: "USD", ...digits });
}
