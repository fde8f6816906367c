// Tokens: one is shown when it is made, and never again.

const field = find("input");
const button = find("[type=submit]");
const said = find(".drawer-said");
const made = find(".tokens-made");
const secret = find(".tokens-secret");
const copy = find(".tokens-made button");
const list = find(".drawer-list");
let shown = [];

function sendOnce(event, data) {
  button.disabled = true;
  said.textContent = "";
  send(event, data);
}

function receive(value) {
  for (const one of element.querySelectorAll("button")) one.disabled = false;
  find(".tokens").hidden = !value.may_make && !value.tokens.length;
  find(".drawer-form").hidden = !value.may_make;
  const left = new Set(value.tokens.map((token) => token.id));
  const revoked = shown.findIndex((token) => !left.has(token.id));
  if (value.done || !isSame(value.tokens, shown)) list.replaceChildren(...value.tokens.map(tokenItem));
  shown = value.tokens;
  // The list may have been read anew meanwhile: what was done stays said until something else is.
  if (value.done) said.textContent = words[value.done] ?? "";
  showSecret(value.secret ?? "");
  if (value.done === "token_made") field.value = "";
  if (value.done === "token_revoked") focusAfter(revoked);
}

function showSecret(text) {
  secret.textContent = text;
  made.hidden = !text;
  copy.textContent = words.copy;
  if (text) copy.focus({ preventScroll: true });
}

// The one that took the place of what went, or whatever is there.
function focusAfter(place) {
  const item = list.children[Math.min(place, list.children.length - 1)];
  const next = item?.querySelector("button") ?? (find(".drawer-form").hidden ? find("summary") : field);
  next.focus({ preventScroll: true });
}

function tokenItem(token) {
  const item = make("li", "tokens-one");
  const about = make("div");
  const since = make("p", "entry-label", filled(words.token_since, { when: localTime(token.when) }));
  const name = token.label || words.token_unnamed;
  about.append(makeWritten("p", "tokens-name", name), since);
  const buttons = make("div", "buttons");
  item.append(about, buttons);
  showRevoke();
  return item;

  function named(one) {
    one.setAttribute("aria-label", `${one.textContent}: ${name}`);
    return one;
  }

  function showRevoke(isFocused = false) {
    const revoke = named(makeButton("button small danger", words.token_revoke, askToRevoke));
    item.classList.remove("asking");
    buttons.replaceChildren(revoke);
    if (isFocused) revoke.focus({ preventScroll: true });
  }

  function askToRevoke() {
    const asked = { question: words.token_revoke_sure, label: words.token_revoke, keep: words.forget_no, look: "danger filled" };
    item.classList.add("asking");
    for (const one of askTwice(buttons, asked, () => sendOnce("revoke", { token: token.id }), () => showRevoke(true))) named(one);
  }
}

const addressOf = (path) => new URL(path, location.href).href;
find(".drawer-title").textContent = words.programs_title;
find(".tokens-what").textContent = words.programs_what;
find(".tokens-where").textContent = filled(words.programs_where, { http: addressOf("api/ask"), mcp: addressOf("mcp") });
find("label").textContent = words.token_label;
button.textContent = words.token_make;
find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (button.disabled) return;
  const refused = tooLong(field.value, props.longest);
  if (refused) return refuse(refused);
  if (field.value.trim()) sendOnce("make", { label: field.value });
  else field.focus();
});
copy.addEventListener("click", () => copyText(secret.textContent, copy));
// What is forgotten as a whole takes the tokens with it.
window.addEventListener("noted:memory", ({ detail }) => detail === "forgotten_all" && sendOnce("look"));
listenTo(receive);
