// Messages sent while an answer is being written, or before it is known that something was done, wait in sight, and go by
// themselves, one after the other. Where that answer is stopped or fails, they go back to the field: the person may want
// to say something else now.

let waiting = [];

function letWait(text) {
  const refused = tooLong(text, props.longest.question);
  if (refused) return say(refused);
  waiting.push(text);
  showWaiting();
  announce(words.waiting);
  if (field.value === text) field.value = "";
  showWritten();
  keep({ draft: field.value });
}

const MOST_WAITING = 2; // in sight; more are folded

function showWaiting() {
  keep({ waiting });
  const items = waiting.map((text, place) => {
    const item = make("div", "waiting-message");
    const message = make("p", "waiting-text");
    message.append(make("span", "hint", `${words.waiting} `), makeWritten("span", "", text));
    item.append(message, makeButton("link", words.waiting_cancel, () => takeBack(place)));
    return item;
  });
  const folded = make("details", "waiting-more");
  const count = localNumber(items.length - MOST_WAITING);
  folded.append(make("summary", "hint", filled(words.waiting_more, { count })), ...items.slice(MOST_WAITING));
  find(".waiting").replaceChildren(...items.slice(0, MOST_WAITING), ...(items.length > MOST_WAITING ? [folded] : []));
}

function takeBack(place) {
  giveBack(waiting.splice(place, 1)[0]);
  showWaiting();
  field.focus({ preventScroll: true });
}

function takeAllBack() {
  if (!waiting.length) return;
  giveBack(waiting.join("\n"));
  waiting = [];
  showWaiting();
}

// After a run: what waits next, if the answer before it is there.
function goOn(isWell) {
  if (!isWell) return takeAllBack();
  const next = waiting.shift();
  if (next === undefined) return;
  showWaiting();
  send(next);
}
