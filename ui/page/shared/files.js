// Files: one that somebody chooses, and one that is saved. The server finds out in which encoding a file is.

const LARGEST_FILE = 190_000; // bytes; in base64 they fill a request

// A button that lets somebody choose one, and the field behind it; `take` gets the file.
function fileButton(label, accept, take) {
  const field = make("input", "visually-hidden");
  field.type = "file";
  field.accept = accept;
  field.tabIndex = -1;
  field.setAttribute("aria-hidden", "true");
  field.addEventListener("change", () => {
    const [file] = field.files;
    field.value = "";
    if (file) take(file);
  });
  return [makeButton("button small", label, () => field.click()), field];
}

// Gives `take` the bytes of a file, or of a part of one, in base64.
function readBytes(file, take, fail = () => refuse(words.bring_in_unreadable)) {
  const reader = new FileReader();
  // What a file is read as: "data:…;base64," and then its bytes.
  reader.addEventListener("load", () => take(reader.result.split(",")[1] ?? ""));
  reader.addEventListener("error", fail);
  reader.readAsDataURL(file);
}

// Sends a file whole, with an event of the panel.
function sendFile(file, event, data = {}) {
  if (file.size > LARGEST_FILE) return refuse(filled(words.file_too_large, { size: localNumber(LARGEST_FILE / 1000) }));
  readBytes(file, (bytes) => send(event, { bytes, ...data }));
}

// Asks whether the first line of a table is its header, before anything of it is learnt; `answer` gets true or false.
function askHeader(question, answer) {
  const asked = makeWritten("span", "", question);
  asked.id = `asked-${performance.now()}`;
  const before = document.activeElement;
  const buttons = [true, false].map((isHeader) => {
    const button = makeButton("button small", isHeader ? words.header_yes : words.header_no, () => {
      forgetHeader();
      before.focus({ preventScroll: true });
      answer(isHeader);
    });
    button.setAttribute("aria-describedby", asked.id);
    return button;
  });
  said.textContent = "";
  find(".header-asked").replaceChildren(asked, ...buttons);
  buttons[0].focus();
}

function forgetHeader() {
  find(".header-asked").replaceChildren();
}

function saveFile(content, name, format) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([content], { type: format === "csv" ? "text/csv" : "application/json" }));
  link.download = `noted-${name}-${new Date().toISOString().slice(0, 10)}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
