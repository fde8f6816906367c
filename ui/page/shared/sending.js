// What a panel asks the server for, and why nothing came of it. What is sent with each event, `besides` says, and what
// happens where nothing is done, `whenRefused`.

const find = (selector) => element.querySelector(selector);
const problem = find(".problem");
let besides = () => ({});
let whenRefused = () => {};
let isAwaited = false; // something is being asked on the server

function send(event, data = {}) {
  isAwaited = true;
  askServer(event, { ...besides(), ...data }, () => refuse(words.lost));
}

// Says why something was not done; all that was typed stays, and can be sent again.
function refuse(sentence) {
  problem.textContent = sentence;
  problem.hidden = !sentence;
  if (!sentence) return;
  isAwaited = false;
  for (const button of element.querySelectorAll("button")) button.disabled = false;
  whenRefused();
}

// Gives `receive` what the server answers, where it did not refuse; not what was asked for before that which was done
// last, which is older and says nothing of it.
function listenTo(receive) {
  let doneAt = 0;
  const heard = (value) => {
    if (!value) return;
    if (isAnswer(value) || value.refused) {
      isAwaited = false;
      refuse(value.refused ?? "");
    }
    if (value.refused || (!value.done && value.at < doneAt)) return;
    if (value.done) doneAt = value.at;
    receive(value);
  };
  watch("value", () => heard(props.value));
  heard(props.value);
}
