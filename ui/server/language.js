// Runs in the head of the page, before anything is drawn: the language of the document, and what Gradio itself writes.

// Gradio writes the browser's language over that of the page.
{
  const root = document.documentElement;
  const speak = () => root.lang !== noted.language && root.setAttribute("lang", noted.language);
  new MutationObserver(speak).observe(root, { attributeFilter: ["lang"] });
  speak();
}

// The title, and the names of the tabs. The page for signing in has no Gradio.
{
  const { words } = noted;
  const config = window.gradio_config ?? { components: [] };
  config.title = document.title = words.page_title;
  for (const { type, props } of config.components) {
    if (type === "tabitem") props.label = words[`tab_${props.id}`] ?? props.label;
  }
}

// Chooses another language, for a year. The page is loaded again; what was asked and typed is there again, and the tab.
noted.speak = (language) => {
  // Within the page of another site, a browser takes only a cookie that is kept apart for that site.
  const framed = window.parent !== window && window.location.protocol === "https:";
  const kind = framed ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
  document.cookie = `${noted.cookie}=${language}; Path=/; Max-Age=31536000; ${kind}`;
  history.replaceState({ tab: document.querySelector("[role=tab][aria-selected=true]")?.dataset.tabId }, "");
  window.location.reload();
};

// Back to the tab on which the language was chosen. Only when the first tab is there: what Gradio has not shown does not
// listen yet.
noted.goBack = () => {
  const tab = history.state?.tab;
  if (!tab) return;
  history.replaceState(null, "");
  document.querySelector(`[role=tab][data-tab-id="${CSS.escape(tab)}"]`)?.click();
  document.querySelector(".language[aria-pressed=true]")?.focus({ preventScroll: true });
};
