cardParts.opposite = (part, question, act) => {
  part.replaceChildren(makeWritten("q", "", question));
  if (act) part.append(makeButton("button small", "The opposite!", () => act({ operation: "clarify", text: "I meant the opposite" })));
};
