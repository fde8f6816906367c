// For which questions something counts, in words: with the way of asking and the word asked about, where they are known.

function reachName({ way, word }, reach) {
  if (reach === "way") return way ? filled(words.reach_way, { way }) : words.reach_way_plain;
  if (reach === "question") return word ? filled(words.reach_question, { word }) : words.reach_question_plain;
  return words.reach_conversation;
}
