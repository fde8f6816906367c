// The head of the page: its name, what answers, where memory is kept.

const facts = element.querySelector(".banner-facts");
const fresh = element.querySelector(".banner-fresh");

function receive(notes) {
  facts.replaceChildren();
  for (const [label, name, note] of notes ?? []) {
    const row = make("div");
    const said = make("dd");
    if (name) said.append(make("strong", "", name), note ? " – " : "");
    said.append(note);
    row.append(make("dt", "", words[label]), " ", said);
    facts.append(row);
  }
}

element.querySelector(".banner-name").textContent = words.name;
fresh.textContent = words.new_conversation;
fresh.addEventListener("click", () => window.dispatchEvent(new CustomEvent("noted:fresh")));
watch("value", () => receive(props.value));
receive(props.value);
