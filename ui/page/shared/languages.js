// The list of languages to choose from, each by its own name, in its own script.
function showLanguages(list) {
  const { languages, speak } = window.noted;
  list.setAttribute("aria-label", words.language);
  for (const [code, name] of Object.entries(languages)) {
    const button = makeButton("language", name, () => code !== language && speak(code));
    button.lang = code;
    button.setAttribute("aria-pressed", String(code === language));
    list.append(button);
  }
}
