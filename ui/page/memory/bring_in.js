// A file that was downloaded here or elsewhere comes in again: in pieces, because a request may not be long. It can be stopped.

let coming = null;

function bringInButton() {
  return fileButton(words.bring_in, ".jsonl,application/jsonl", bringIn);
}

function bringIn(file) {
  if (file.size > props.largest) {
    return refuse(filled(words.bring_in_too_large, { size: localNumber(Math.floor(props.largest / 1e6)) }));
  }
  if (coming) return;
  coming = { file, place: 0 };
  asker = "";
  refuse("");
  sendPiece();
}

function sendPiece() {
  const { file, place } = coming;
  const start = place * props.piece;
  const last = start + props.piece >= file.size;
  const share = file.size ? Math.min(1, start / file.size) : 1;
  const sent = last ? words.bring_in_takes : filled(words.bring_in_comes, { percent: localPercent(share) });
  const take = (bytes) => {
    send("piece", { place, last, bytes });
    say(sent);
  };
  readBytes(file.slice(start, start + props.piece), take, () => {
    stopBringingIn();
    refuse(words.bring_in_unreadable);
  });
}

function goOnBringingIn({ received, taking, imported, stopped }) {
  if (!coming) return;
  if (taking) return showTaking(taking);
  if (!imported) {
    coming.place = received;
    return sendPiece();
  }
  stopBringingIn();
  say([whatCameIn(imported), stopped && words.brought_in_stopped].filter(Boolean).join(" "));
  window.dispatchEvent(new CustomEvent("noted:memory"));
  firstShown = 0;
  send("search");
}

// The server takes the file in by itself, and is asked now and then how far it is.
function showTaking({ done, of }) {
  say(of ? filled(words.bring_in_taking, { percent: localPercent(done / of) }) : words.bring_in_takes);
  coming.stop ??= makeButton("button small", words.bring_in_stop, () => {
    coming.stop.disabled = true;
    send("stop_taking");
  });
  receipt.append(" ", coming.stop);
  clearTimeout(coming.asking);
  coming.asking = setTimeout(() => send("taking"), 500);
}

function stopBringingIn() {
  if (coming) say("");
  clearTimeout(coming?.asking);
  coming = null;
}

function whatCameIn({ new: fresh, known, outdated, counting, dropped }) {
  const entries = fresh.entries ?? 0;
  const turns = fresh.turns ?? 0;
  const there = (known.entries ?? 0) + (known.turns ?? 0);
  if (!entries && !turns) return words.brought_in_nothing;
  const numbers = { entries: localNumber(counting), turns: localNumber(turns) };
  const sentences = [filled(words.brought_in, numbers)];
  if (there) sentences.push(filled(words.brought_in_known, { count: localNumber(there) }));
  const history = entries - counting - outdated;
  if (history) sentences.push(filled(words.brought_in_history, { count: localNumber(history) }));
  if (outdated) sentences.push(filled(words.brought_in_outdated, { count: localNumber(outdated) }));
  if (dropped) sentences.push(filled(words.brought_in_dropped, { count: localNumber(dropped) }));
  return sentences.join(" ");
}
