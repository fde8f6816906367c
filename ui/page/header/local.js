// Models that run on this machine, in the dialog: those that are here, to use, and some to get.

const LOOK_AT_DOWNLOAD_MS = 1000;
let lookingAtDownload = 0;

function askLocal(event, name, data) {
  asked = name;
  refusal = {};
  if (event === "use") return sendModel(event, data);
  askServer(event, data, () => endTrying(words.lost));
  drawLocal();
}

function receiveLocal(told) {
  local = told;
  drawLocal();
  clearInterval(lookingAtDownload);
  if (told.download?.is_running) lookingAtDownload = setInterval(lookAtLocal, LOOK_AT_DOWNLOAD_MS);
}

function lookAtLocal() {
  if (dialog.open && localPart.open) trigger("local", {});
  else clearInterval(lookingAtDownload);
}

// Only what changes is drawn anew; the row in which one is keeps the focus.
let drawnLocal = null;

function drawLocal() {
  const { missing, models, download } = local;
  const { here = 0, whole = 0, ...state } = download ?? {};
  const shown = [models, missing, state, asked, refusal, submit.disabled];
  if (!isSame(shown, drawnLocal)) {
    drawnLocal = shown;
    part("local-what").textContent = missing || words.local_what;
    const name = document.activeElement.closest(".model-row")?.dataset.name;
    part("list").replaceChildren(...models.map(modelRow));
    if (name) part("list").querySelector(`[data-name="${CSS.escape(name)}"] button`)?.focus({ preventScroll: true });
  }
  const bar = part("list").querySelector("progress");
  if (!bar) return;
  if (whole) Object.assign(bar, { max: whole, value: here });
  bar.nextSibling.textContent = whole ? filled(words.local_progress, { here: inBytes(here), whole: inBytes(whole) }) : words.local_begins;
}

function modelRow({ name, is_here, bytes, memory, known }) {
  const row = make("li", "model-row");
  row.dataset.name = name;
  const facts = make("p", "hint", [
    bytes && inBytes(bytes),
    memory && filled(words.local_memory, { size: inBytes(memory) }),
    known.tried === false && words.local_not_tried,
  ].filter(Boolean).join(" · "));
  row.append(make("h3", "model-called", name), facts);
  if (known.licence) facts.after(Object.assign(make("p", "hint", `${known.licence} · ${known.languages}`), { lang: "en" }));
  const download = local.download?.name === name && !is_here ? local.download : null;
  if (download?.is_running || download?.here) {
    const bar = Object.assign(make("progress", "progress-bar"), { ariaLabel: name });
    row.append(bar, make("p", "hint"));
  }
  const problem = (refusal.name === name && refusal.sentence) || download?.problem;
  if (problem) row.append(Object.assign(make("p", "problem", problem), { role: "alert" }));
  row.append(modelAct(name, is_here, download));
  return row;
}

function modelAct(name, isHere, download) {
  const acts = make("div", "model-acts");
  const add = (label, look, onClick, isDisabled = false) => {
    const button = makeButton(`button small ${look}`, label, onClick);
    acts.append(Object.assign(button, { ariaLabel: `${label}: ${name}`, disabled: isDisabled }));
  };
  if (asked === name && isHere && submit.disabled) {
    add(words.stop, "", stopTrying);
    acts.append(make("span", "hint model-doing", submit.textContent));
  } else if (isHere) {
    add(words.local_use, "primary", () => askLocal("use", name, { model: `local/${name}`, key: "", address: "" }), submit.disabled);
  } else if (download?.is_running) {
    add(words.stop, "", () => askLocal("stop_getting", name, {}));
  } else {
    add(words.local_get, "", () => askLocal("get", name, { model: name }), submit.disabled || Boolean(local.download?.is_running));
  }
  return acts;
}

function inBytes(count) {
  const [unit, size] = count < 1e9 ? ["megabyte", 1e6] : ["gigabyte", 1e9];
  const digits = count < 1e8 || unit === "gigabyte" ? 1 : 0;
  return localNumber(count / size, { style: "unit", unit, maximumFractionDigits: digits });
}

part("local").querySelector("summary").textContent = words.local_title;
localPart.addEventListener("toggle", lookAtLocal);
