// Whether an entry is offered to everyone, what became of that, and the buttons that change it.

// The sentence about an offer, or nothing; the reason of a curator is a text of a person.
function offerLine(entry) {
  const sentence = entry.offer && words[`offer_is_${entry.offer.state}`];
  if (!sentence) return [];
  const line = make("p", "entry-offer", filled(sentence, { when: localTime(entry.offer.when) }));
  if (entry.offer.because) line.append(` ${words.offer_reason} `, makeWritten("q", "", entry.offer.because));
  return [line];
}

function offerButtons(entry, item, buttons) {
  const state = entry.offer?.state;
  if (state === "offered" || state === "accepted") {
    const withdraw = makeButton("button small", words.withdraw, () => {
      withdraw.disabled = true;
      send("withdraw", { entry: entry.id });
    });
    return [named(withdraw, entry)];
  }
  if (state === "declined" || !entry.may_offer) return [];
  return [named(makeButton("button small quiet", words.offer, () => askToOffer(entry, item, buttons)), entry)];
}

function askToOffer(entry, item, buttons) {
  const asked = { question: words.offer_sure, label: words.offer_yes, keep: words.cancel, look: "primary" };
  askAbout(entry, item, buttons, "offer", asked);
}
