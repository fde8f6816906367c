// What is about the person as a whole: take all of it along, or have all of it forgotten.

const everything = element.querySelector(".everything-about");

function showEverything(focused = "") {
  const title = make("h3", "everything-title", words.everything_title);
  title.id = "everything-title";
  const buttons = make("div", "buttons");
  const download = makeButton("button small", words.export, () => {
    download.disabled = true;
    send("export");
  });
  const asked = { question: words.forget_all_sure, label: words.forget_all_yes, keep: words.forget_no, look: "danger filled" };
  const forget = makeButton("button small danger", words.forget_all, () => {
    askTwice(buttons, asked, () => send("forget_all"), () => showEverything("forget"));
    send("weigh");
  });
  buttons.append(download, ...bringInButton(), forget);
  everything.replaceChildren(title, make("p", "hint", filled(words.everything_hint, { days: props.keep_days })), buttons);
  if (focused) (focused === "forget" ? forget : download).focus({ preventScroll: true });
}

// Everything that goes, counted, in the place of the question that was asked without numbers.
function showAllTakes(what) {
  const sure = everything.querySelector(".entry-sure");
  if (!sure || !what) return;
  sure.textContent = filled(words.forget_all_takes, { what });
  sure.parentElement.scrollIntoView({ block: "nearest" });
}

function isEverything({ done }) {
  return done === "exported" || done === "forgotten_all";
}

function afterEverything(listing) {
  if (!isEverything(listing)) return;
  if (listing.file) save(listing.file);
  showEverything(listing.done === "exported" ? "download" : "forget");
}

function save(content) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/jsonl" }));
  link.download = `noted-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
