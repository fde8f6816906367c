// The sign-in page: strings, and the result of an attempt.

import { render } from "../shared/lit.js";
import { languageList } from "../shared/panel.js";
import { words } from "../shared/server.js";

const find = (selector) => document.querySelector(selector);
const form = find("form");
const problem = find(".problem");
const password = find("#entrance-password");
const button = find("[type=submit]");

async function signIn(event) {
  event.preventDefault();
  button.disabled = true;
  problem.hidden = true;
  const answer = await fetch("login", { method: "POST", body: new FormData(form) }).catch(() => null);
  if (answer?.ok) return window.location.reload();
  button.disabled = false;
  const isWrong = answer && answer.status < 500;
  problem.textContent =
    answer?.status === 429 ? words.sign_in_wait : isWrong ? words.sign_in_wrong : words.sign_in_lost;
  problem.hidden = false;
  password.value = "";
  password.focus();
}

for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-words]")))
  part.textContent = words[part.dataset.words];
render(languageList(), find(".head-languages"));
form.addEventListener("submit", signIn);
find("#entrance-name").focus();
