// What was remembered, as a sentence: when you write this, you mean that; or for what a model says that it counts.

// In one piece, for those who hear it: a sentence as it stands, else the words.
function saying({ sentence, text }) {
  return sentence || text;
}

// What was said otherwise of the same, when, and whether it still counts.
function saidOtherwise({ text, when, counts }) {
  const day = localDay(when);
  const said = counts ? words.counts_too : words.counted_before;
  const [before, after = ""] = filled(said, { when: day ? ` (${day})` : "" }).split("{text}");
  return [before, makeWritten("q", "", text), after];
}

function lesson({ title, lesson: way, meaning, example, sentence: whole }) {
  const sentence = make("span", "lesson");
  const said = { way, meaning, title, whole };
  const template = whole ? "{whole}" : example ? words.lesson_example : title ? "{title}: {meaning}" : words.lesson;
  for (const piece of template.split(/\{(\w+)\}/)) sentence.append(piece in said ? makeWritten("span", "", said[piece]) : piece);
  return sentence;
}

