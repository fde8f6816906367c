// Lessons that wait for their person to say what becomes of them. Nothing stands here where there are none.

const list = find(".drafts-list");
let shown = [];

function receive(value) {
  if (value.decided) window.dispatchEvent(new CustomEvent("noted:memory", { detail: "lessons" }));
  if (!isSame(value.drafts, shown)) list.replaceChildren(...value.drafts.map(item));
  shown = value.drafts;
  find(".drafts").hidden = !shown.length;
}

function item({ turn, question, ...draft }) {
  const one = make("li", "drafts-one");
  const what = make("div");
  const from = make("p", "hint");
  const [before, after = ""] = words.lessons_from.split("{question}");
  from.append(before, makeWritten("q", "", question), after);
  one.append(from, what);
  drawDraft(what, draft, (told) => send("decide", { turn, of: "lesson", ...told }), "button small");
  return one;
}

find(".memory-title").textContent = words.lessons_waiting;
find(".drafts-what").textContent = words.lessons_about;
window.addEventListener("noted:memory", ({ detail }) => detail !== "lessons" && send("look"));
listenTo(receive);
