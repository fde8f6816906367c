// What the server told of the page: its words, language and panels; and what the browser keeps for the server.

export const noted = JSON.parse(document.getElementById("noted-data").textContent);
window.noted = noted;

// Keeps what the server must know of this browser, for a year.
function keepCookie(name, value) {
  // Within the page of another site, a browser takes only a cookie that is kept apart for that site.
  const framed = window.parent !== window && window.location.protocol === "https:";
  const kind = framed ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; ${kind}`;
}

// Which day it is where the user lives.
keepCookie(noted.zone_cookie, Intl.DateTimeFormat().resolvedOptions().timeZone);

// Chooses another language. The page is loaded again; what was asked and typed is there again.
noted.speak = (language) => {
  keepCookie(noted.cookie, language);
  history.replaceState({ isLanguageChosen: true }, "");
  window.location.reload();
};
