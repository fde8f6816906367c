// Runs in the head of the page, before anything is drawn: whether it can work at this address, the language of the
// document, its title, the time zone, which keys are the input method's, and an end to what Gradio would never stop
// drawing.

// Gradio asks for everything at the address that the server takes for its own. Behind a proxy that the server does not
// know, that may be another host or path, and nothing would be there.
{
  const { root: address } = window.gradio_config ?? {}; // the page for signing in has none, and needs none
  const root = address && new URL(address.replace(/^https?:/, window.location.protocol));
  const { host, pathname, search } = window.location;
  if (root && !pathname.endsWith("/")) {
    window.location.replace(`${pathname}/${search}`);
  } else if (root && (root.host !== host || root.pathname.replace(/\/?$/, "/") !== pathname)) {
    const say = () => {
      document.body.textContent = noted.words.unknown_proxy;
      document.body.style.padding = "2rem";
    };
    document.addEventListener("readystatechange", say, { once: true }); // before Gradio's scripts, which are deferred
  }
}

// Gradio writes the browser's language over that of the page.
{
  const root = document.documentElement;
  const speak = () => root.lang !== noted.language && root.setAttribute("lang", noted.language);
  new MutationObserver(speak).observe(root, { attributeFilter: ["lang"] });
  speak();
}

// Keys that an input method takes, to choose a candidate or end a word, reach no handler of the page. Browsers mark them
// with `isComposing`; Safari sends the Enter that ends a word after the composition, marked by the key code 229 alone.
window.addEventListener(
  "keydown",
  (event) => (event.isComposing || event.keyCode === 229) && event.stopImmediatePropagation(),
  true,
);

document.title = noted.words.page_title;
(window.gradio_config ?? {}).title = document.title;

// Gradio counts the seconds of whatever is loading, in a loop that asks for frame after frame. That of the page itself
// goes on when the page has long been there, sixty times a second, for a count that the page does not show.
{
  const ask = window.requestAnimationFrame;
  const isCount = (draw) => String(draw).includes("performance.now()-");
  window.requestAnimationFrame = (draw) => (isCount(draw) ? 0 : ask(draw));
}

// Keeps what the server must know of this browser, for a year.
function keepCookie(name, value) {
  // Within the page of another site, a browser takes only a cookie that is kept apart for that site.
  const framed = window.parent !== window && window.location.protocol === "https:";
  const kind = framed ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; ${kind}`;
}

// Which day it is where the person lives.
keepCookie(noted.zone_cookie, Intl.DateTimeFormat().resolvedOptions().timeZone);

// Chooses another language. The page is loaded again; what was asked and typed is there again.
noted.speak = (language) => {
  keepCookie(noted.cookie, language);
  history.replaceState({ isLanguageChosen: true }, "");
  window.location.reload();
};
