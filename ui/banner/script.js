// The head of the page: its name, what answers, where memory is kept.

const facts = element.querySelector(".banner-facts");
const fresh = element.querySelector(".banner-fresh");

function receive(notes) {
  if (!notes) return;
  const answering = make("p");
  answering.append(make("strong", "", notes.model), notes.model_note ? ` – ${notes.model_note}` : "");
  facts.replaceChildren(answering, make("p", "", [notes.memory, notes.embedder].filter(Boolean).join(" ")));
}

element.querySelector(".banner-name").textContent = words.name;
fresh.textContent = words.new_conversation;
fresh.addEventListener("click", () => window.dispatchEvent(new CustomEvent("noted:fresh")));
watch("value", () => receive(props.value));
receive(props.value);
