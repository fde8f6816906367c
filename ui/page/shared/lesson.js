// What was remembered, as a sentence: when you write this, you mean that; or for what a model says that it counts.

function lesson({ title, lesson: way, meaning, example, sentence: whole }) {
  const sentence = make("span", "lesson");
  const said = { way, meaning, title, whole };
  const template = whole ? "{whole}" : example ? words.lesson_example : title ? "{title}: {meaning}" : words.lesson;
  for (const piece of template.split(/\{(\w+)\}/)) sentence.append(piece in said ? makeWritten("span", "", said[piece]) : piece);
  return sentence;
}
