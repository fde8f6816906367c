// Try a question: which entries it would get, which not, and why. The model is not asked.

const field = find("input");
const said = find(".drawer-said");
const list = find(".drawer-list");
const button = find("button");

function receive(trial) {
  if (!trial) return;
  refuse(trial.refused ?? "");
  button.disabled = false;
  if (trial.refused) {
    said.textContent = "";
    return;
  }
  list.replaceChildren(...trial.found.map(foundCard));
  said.textContent = summary(trial.found);
  if (element.contains(document.activeElement)) said.scrollIntoView({ block: "nearest", behavior: calmly() });
}

function summary(found) {
  if (!found.length) return words.trial_nothing;
  const used = found.filter(({ action }) => action === "use").length;
  const some = (does) => found.some(({ action }) => action === does);
  if (!used && !some("offer") && some("show")) return words.trial_shows;
  const does = used ? "uses" : some("offer") ? "offers" : "leaves";
  if (found.length === 1) return words[`trial_${does}_it`];
  if (!used) return words[`trial_${does}`];
  // What would be used stands first.
  if (used === found.length) return words.trial_uses_all;
  return used === 1 ? words.trial_uses_first : filled(words.trial_uses_many, { count: localNumber(used) });
}

function foundCard(found) {
  const item = make("li", `trial-entry trial-${found.action}`);
  const head = make("p", "trial-head");
  head.append(make("span", "trial-badge", words[`trial_does_${found.action}`]));
  if (found.sure) head.append(make("span", "hint", words[found.sure]));
  const given = make("p", "entry-label", `${found.example ? words.example : words.means} `);
  given.append(makeWritten("q", "entry-question", found.question));
  if (found.shared) given.append(` ${words.shared_short}`);
  const said = make("p", "trial-text");
  said.append(lesson(found));
  const raw = found.sentence ? [] : [makeWritten("q", "hint", found.text), given];
  const numbers = make("details", "hint");
  const percent = localPercent(found.percent / 100);
  numbers.append(make("summary", "", words.numbers), make("p", "", filled(words.trial_number, { percent })));
  item.append(head, said, ...raw, make("p", "hint", found.reason));
  if (found.sure) item.append(numbers);
  if (found.is_kept_back) item.append(makeButton("button small", words.resume, () => ask("resume", { entry: found.id })));
  return item;
}

find(".drawer-title").textContent = words.trial_title;
find("label").textContent = words.trial_label;
button.textContent = words.trial_go;
function ask(event, told = {}) {
  const question = field.value.trim();
  if (!question) return field.focus();
  const refused = tooLong(question, props.longest);
  if (refused) return refuse(refused);
  button.disabled = true;
  said.textContent = words.looking;
  send(event, { ...told, question });
}

find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("preview");
});
watch("value", () => receive(props.value));
receive(props.value);
