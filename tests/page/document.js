// Stands for the document where the rules of the page are tested without a browser; imported before them.

const data = {
  language: "en",
  words: {
    keep_you: "you",
    keep_i: "I",
    keep_we: "you (all)",
    keep_us: "we",
    too_long: "{length} of {limit}",
    today: "Today",
    yesterday: "Yesterday",
    forget_sure: "Sure?",
    forget_alone: "Sure? Alone.",
    forget_takes: "Also {what}.",
    forget_blanks_other: "{count} blank.",
    count_notes_one: "{count} note",
    notes_one: "{count} note",
    notes_other: "{count} notes",
  },
  zone_cookie: "zone",
  panels: {},
};

globalThis.document = {
  getElementById: () => ({ textContent: JSON.stringify(data) }),
  createTreeWalker: () => null,
  body: { classList: { toggle: () => {} } },
  documentElement: { dataset: {} },
};
globalThis.navigator ??= { languages: ["en-US"] };
globalThis.window = Object.assign(new EventTarget(), { location: { protocol: "http:" } });
window.parent = window;
