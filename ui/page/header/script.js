// The head of the page: its name, what one has to know, who is signed in. What one chooses there stands in the files beside.

const find = (selector) => element.querySelector(selector);

function receive(told) {
  if (!told) return;
  if (told.notices) showNotices(told);
  if (told.account) showAccount(told.account);
  receiveModel(told);
  if (told.model) findModels();
}

// What only has to be known once is put away until the browser is closed.
function showNotices({ notices }) {
  const isKnown = (sentence) => (sessionStorage.getItem("noted-known") ?? "").includes(sentence);
  const sentences = notices.map(([name, values]) => filled(words[name], values)).filter((sentence) => !isKnown(sentence));
  find(".head-notices").replaceChildren(...sentences.map((sentence) => {
    const notice = make("p", "head-notice", sentence);
    notice.append(makeButton("button small quiet", words.notice_known, () => {
      sessionStorage.setItem("noted-known", `${sessionStorage.getItem("noted-known") ?? ""}${sentence}`);
      notice.remove();
    }));
    return notice;
  }));
}

// A frame cannot show the pages of Hugging Face, so signing in opens a window of its own.
function showAccount({ name, leave, enter }) {
  const link = find(".head-account");
  link.hidden = !(leave || enter);
  if (link.hidden) return;
  link.textContent = leave ? filled(words.sign_out, { name }) : words.sign_in;
  link.href = leave || enter;
  link.target = leave || window.parent === window ? "_self" : "_blank";
}

find(".head-name").textContent = words.name;
find(".head-skip").textContent = words.skip;
// A software keyboard takes its room from the page, which browsers tell in different ways.
window.visualViewport?.addEventListener("resize", () => {
  const { height, scale } = window.visualViewport;
  document.documentElement.style.setProperty("--noted-height", `${Math.round(height * scale)}px`);
});
watch("value", () => receive(props.value));
window.addEventListener("noted:ready", () => {
  trigger("look");
  goToTab();
  comeBack();
  forgetModel();
});
