// The page for signing in: its texts, its colours, and what came of a try.

const find = (selector) => document.querySelector(selector);
const [form, problem, password, button] = ["form", ".problem", "#entrance-password", "[type=submit]"].map(find);

async function tryToSignIn() {
  button.disabled = true;
  problem.hidden = true;
  const answer = await fetch("login", { method: "POST", body: new FormData(form) }).catch(() => null);
  if (answer?.ok) return window.location.reload();
  button.disabled = false;
  const isWrong = answer && answer.status < 500;
  problem.textContent = answer?.status === 429 ? words.sign_in_wait : isWrong ? words.sign_in_wrong : words.sign_in_lost;
  problem.hidden = false;
  password.value = "";
  password.focus();
}

for (const part of document.querySelectorAll("[data-words]")) part.textContent = words[part.dataset.words];
showLanguages(find(".languages"));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  tryToSignIn();
});
find("#entrance-name").focus();
