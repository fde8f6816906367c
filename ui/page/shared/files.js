// Files: a text that somebody chooses, and one that is saved.

// A button that lets somebody choose one, and the field behind it; `take` gets what stands in it.
function fileButton(label, accept, take) {
  const field = make("input", "visually-hidden");
  field.type = "file";
  field.accept = accept;
  field.tabIndex = -1;
  field.setAttribute("aria-hidden", "true");
  field.addEventListener("change", () => {
    const [file] = field.files;
    field.value = "";
    file?.text().then(take);
  });
  return [makeButton("button small", label, () => field.click()), field];
}

function saveFile(content, name, format) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([content], { type: format === "csv" ? "text/csv" : "application/json" }));
  link.download = `noted-${name}-${new Date().toISOString().slice(0, 10)}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
