// The head of the page: its name, what answers, where memory is kept.

const find = (selector) => element.querySelector(selector);
const fresh = find(".banner-fresh");

function receive(notes) {
  if (!notes) return;
  const short = [notes.model, notes.is_temporary ? words.memory_is_temporary : ""];
  find(".banner-facts summary").textContent = short.filter(Boolean).join(" · ");
  find(".banner-model").textContent = notes.model_note;
  find(".banner-memory").textContent = [notes.memory, notes.embedder].filter(Boolean).join(" ");
  find(".banner-notices").replaceChildren(...notes.notices.map(([name, told]) => make("p", "", filled(words[name], told))));
  showAccount(notes.account);
}

// A frame cannot show the pages of Hugging Face, so signing in opens a window of its own.
function showAccount({ name, leave, enter }) {
  const link = find(".banner-account");
  link.hidden = !(leave || enter);
  if (link.hidden) return;
  link.textContent = leave ? filled(words.sign_out, { name }) : words.sign_in;
  link.href = leave || enter;
  link.target = leave || window.parent === window ? "_self" : "_blank";
}

showLanguages(find(".languages"));
find(".banner-name").textContent = words.name;
find(".banner-skip").textContent = words.skip;
fresh.textContent = words.new_conversation;
fresh.addEventListener("click", () => {
  document.querySelector("[role=tab][data-tab-id=chat]").click();
  window.dispatchEvent(new CustomEvent("noted:fresh"));
});
watch("value", () => receive(props.value));
receive(props.value);
