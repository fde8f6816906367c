// Asks the server for something, and calls `onLost` where it cannot be reached.

// Whether the page shows that a model of the user's own answers. Then the server lets no other answer.
const hasOwnModel = () => Boolean(document.documentElement.dataset.ownModel);

let askedAt = 0;

function askServer(event, data, onLost) {
  askedAt = Date.now();
  trigger(event, { ...data, own: hasOwnModel(), at: askedAt }).catch(onLost);
}

// Whether this answers what was asked last. The answer to what was asked before says nothing of that.
function isAnswer({ at = 0 }) {
  return at >= askedAt;
}
