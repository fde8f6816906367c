// Messages sent while an answer is being written wait in sight, and go by themselves, one after the other. Where that
// answer is stopped or fails, they go back to the field: the person may want to say something else now.

let waiting = [];

function letWait(text) {
  const refused = tooLong(text, props.longest.question);
  if (refused) return say(refused);
  waiting.push(text);
  showWaiting();
  announce(words.waiting);
  if (field.value === text) field.value = "";
  growToFit(field);
  keep({ draft: field.value });
}

function showWaiting() {
  keep({ waiting });
  find(".waiting").replaceChildren(...waiting.map((text, place) => {
    const item = make("div", "waiting-message");
    const message = make("p", "waiting-text");
    message.append(make("span", "hint", `${words.waiting} `), makeWritten("span", "", text));
    item.append(message, makeButton("button small", words.waiting_cancel, () => takeBack(place)));
    return item;
  }));
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
