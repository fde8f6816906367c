// Gradio does not say that the server went away in the middle of an event: while one is awaited, the page looks itself,
// now and then, and where the browser says that it has no network.

const LOOK_EVERY_MS = 3000;

// Calls `onLost` once, when the server cannot be reached, and `onThere` each time that it can. Returns a function that
// ends the looking.
function watchServer(onLost, onThere = () => {}) {
  let isAwaited = true;
  const stop = () => {
    isAwaited = false;
    clearInterval(timer);
    window.removeEventListener("offline", look);
  };
  const look = async () => {
    // A proxy in between answers with a server error instead.
    const isThere = await fetch("gradio_api/app_id", { cache: "no-store" }).then(
      (response) => response.status < 500,
      () => false,
    );
    if (!isAwaited) return;
    if (isThere) return onThere();
    stop();
    onLost();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  window.addEventListener("offline", look);
  if (!navigator.onLine) look();
  return stop;
}

// Whether the page shows that a model of the user's own answers. Then the server lets no other answer.
const hasOwnModel = () => Boolean(document.documentElement.dataset.ownModel);

let stopWatching = () => {};
let askedAt = 0;

// Asks the server for something, and calls `onLost` where it cannot be reached before that is answered.
function askServer(event, data, onLost) {
  stopWatching();
  stopWatching = watchServer(onLost);
  askedAt = Date.now();
  trigger(event, { ...data, own: hasOwnModel(), at: askedAt });
}

// Whether this answers what was asked last, so that nothing is awaited any more. The answer to what was asked before says
// nothing of that.
function isAnswer({ at = 0 }) {
  if (at < askedAt) return false;
  stopWatching();
  return true;
}
