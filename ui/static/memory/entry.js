// One entry of the list: title, one line about it, actions; and the rest behind "More".

import { button, erasing, lesson, onChosen, saying, written } from "../shared/panel.js";
import { html, live, nothing } from "../shared/lit.js";
import { words } from "../shared/server.js";
import { filled, howMany, localDate, localTime } from "../shared/text.js";
import { act, askToErase, controls, isSearched, notes, panel, unfolded } from "./memory.js";

export function entryCard(entry) {
  const { id, text: value, sentence } = entry;
  const editForm = () => {
    const field = { label: sentence ? words.edit_sentence : words.edit_label, value, isLong: true };
    const edit = (text) => act(`${id} edit`, "edit", { entry: id, text });
    return changeForm(`${id} edit`, field, panel.props.longest, edit);
  };
  return html`<li class="memory-entry" data-id=${id}>
    ${controls.isOpen(`${id} edit`) ? editForm() : html`<p class="entry-title">${lesson(entry)}</p>`}
    ${offerLine(entry)} ${keptBackLines(entry)}
    <div class="row">
      <p class="entry-line hint">${facts(entry).filter(Boolean).join(" · ")}</p>
      ${buttons(entry)}
    </div>
    ${unfolded.has(`${id} more`) ? more(entry) : nothing}
    ${notes(id)}
  </li>`;
}

// Return the facts about an entry; search results include the day, since they are not grouped by it.
function facts({ by_meaning: byMeaning, sentence, example, reach, learnt, found, used, when }) {
  return [
    byMeaning && words.by_meaning,
    learnt && words.key_by_model,
    !example && !sentence && words[`counts_${reach}`],
    found && (used ? howMany("used", used) : words.used_never),
    isSearched() && localDate(when),
  ];
}

// Render the state of its offer; the curator's reason is text of a user.
function offerLine({ offer }) {
  const sentence = offer && words[`offer_is_${offer.state}`];
  if (!sentence) return nothing;
  const reason = [` ${words.offer_reason} `, html`<q dir="auto">${offer.because}</q>`];
  return html`<p class="small">${filled(sentence, { when: localTime(offer.when) })}${offer.because ? reason : nothing}</p>`;
}

// Render a line if it is paused, or for each question that it is not used for.
function keptBackLines({ rests, not_for: questions }) {
  if (rests) return html`<p class="small entry-rests">${words.rests}</p>`;
  return questions.map(
    (question) => html`<p class="small entry-rests">${words.not_for} <q dir="auto">${question}</q></p>`,
  );
}

function more(entry) {
  const { text, question, example, learnt, sentence, why_both: why } = entry;
  const isInTitle = learnt || text === sentence;
  return html`<div class="aside stack entry-more">
    ${isInTitle ? nothing : html`<p class="hint">${words.you_said} <q class="entry-text" dir="auto">${text}</q></p>`}
    ${question === text ? nothing : html`<p class="hint">${words.means} <q class="entry-question" dir="auto">${question}</q></p>`}
    ${why ? html`<p class="hint" dir="auto">${filled(words.counts_both, { why })}</p>` : nothing}
    <div class="buttons">${example || sentence ? nothing : reachList(entry)}${offerButton(entry)}</div>
    ${earlierWordings(entry)} ${entry.found ? keyList(entry) : nothing}
  </div>`;
}

// Render the choice of reach. "Only this chat" is possible only for entries said in one.
function reachList(entry) {
  const { id, reach } = entry;
  const choose = (chosen) =>
    act(`${id} reach`, "reach", { entry: id, reach: chosen }, (card) => card.querySelector(".entry-reach"));
  const reaches = ["way", "question", ...(entry.of_turn ? ["conversation"] : [])];
  return html`<select class="field-s entry-reach" aria-label=${`${words.reach_label} ${saying(entry)}`} @change=${onChosen(choose)}>${reaches.map((one) => html`<option value=${one} .selected=${live(one === reach)}>${words[`reach_${one}`]}</option>`)}</select>`;
}

function offerButton(entry) {
  const { id, offer, may_offer: mayOffer } = entry;
  if (["offered", "accepted"].includes(offer?.state)) {
    return control(entry, "withdraw", "", words.withdraw, (name) => act(name, "withdraw", { entry: id }));
  }
  if (offer?.state === "declined" || !mayOffer) return nothing;
  return control(entry, "offer", "quiet", words.offer);
}

function buttons(entry) {
  const { id } = entry;
  if (controls.isOpen(`${id} forget`)) return question(entry, "forget", erasing(controls.weighed(`${id} forget`)));
  if (controls.isOpen(`${id} offer`)) {
    return question(entry, "offer", { question: words.offer_sure, label: words.offer_yes });
  }
  if (controls.isOpen(`${id} edit`)) return nothing;
  const resume = () => control(entry, "resume", "", words.resume, (name) => act(name, "resume", { entry: id }));
  const more = `${id} more`;
  const turn = () => {
    if (!unfolded.delete(more)) unfolded.add(more);
    panel.draw();
  };
  return html`<div class="buttons entry-acts">
    ${entry.rests || entry.not_for.length ? resume() : nothing}
    ${entry.example ? nothing : control(entry, "edit", "", words.edit)}
    ${control(entry, "forget", "", words.forget, (name) => askToErase(name, id))}
    ${button("button small entry-unfold", words.more, turn, { about: saying(entry), isExpanded: unfolded.has(more) })}
  </div>`;
}

// Render its keys with their authors; they can be added, changed and removed.
function keyList(entry) {
  const { keys } = entry;
  const many = howMany("keys", keys.length);
  const isAdding = controls.isOpen(`${entry.id} key `);
  const adding = isAdding ? keyForm(entry, "", keys.length) : control(entry, "key ", "", words.key_add);
  return fold(entry, "keys", keys.length ? many : words.keys_none, [
    html`<p class="hint">${words.keys_hint}</p>`,
    html`<ul>${keys.map((key, place) => keyRow(entry, key, place))}</ul>`,
    html`<div class="row">${adding}</div>`,
  ]);
}

function keyRow(entry, { text, by }, place) {
  if (controls.isOpen(`${entry.id} key ${text}`))
    return html`<li class="row key-row">${keyForm(entry, text, place)}</li>`;
  const remove = (name) => changeKey(entry, name, place, text, "");
  return html`<li class="row key-row">
    ${written(text, "key-text")}
    <span class="hint">${words[by]}</span>
    <div class="buttons">
      ${control(entry, `key ${text}`, "quiet", words.key_change, controls.open, text)}
      ${control(entry, `remove ${text}`, "quiet", words.key_remove, remove, text)}
    </div>
  </li>`;
}

function keyForm(entry, value, place) {
  const name = `${entry.id} key ${value}`;
  const change = (text) => changeKey(entry, name, place, value, text);
  return changeForm(name, { label: words.key_label, value }, panel.props.longest_key, change);
}

// Change a key, then focus the key in this place, or the last one, or the button that adds one.
function changeKey(entry, name, place, before, after) {
  return act(name, "change_key", { entry: entry.id, old: before, new: after }, (card) => {
    const rows = card.querySelectorAll(".entry-keys > ul > li");
    const row = rows[Math.min(place, rows.length - 1)] ?? card.querySelector(".entry-keys > ul + .row");
    return row.querySelector("button");
  });
}

// Render its earlier versions, newest first.
function earlierWordings(entry) {
  const { earlier } = entry;
  if (!earlier.length) return nothing;
  const asked = { question: words.take_back_sure, label: words.take_back_yes };
  return fold(entry, "earlier", howMany("earlier", earlier.length), [
    html`<ol>${earlier.map((old) => earlierRow(entry, old))}</ol>`,
    controls.isOpen(`${entry.id} revert`)
      ? question(entry, "revert", asked)
      : control(entry, "revert", "", words.take_back),
  ]);
}

function earlierRow(entry, old) {
  return html`<li class="row key-row">
    ${written(saying(old), "key-text")}
    <span class="hint">${localTime(old.when)}</span>
    ${old.reach === entry.reach ? nothing : html`<span class="hint">${words[`counts_${old.reach}`]}</span>`}
    ${old.question === entry.question ? nothing : html`<span class="hint">${words.means} <q dir="auto">${old.question}</q></span>`}
  </li>`;
}

// Render a disclosure, which stays open when the list is drawn again.
function fold(entry, kind, label, content) {
  const name = `${entry.id} ${kind}`;
  const keep = ({ target }) => (target.open ? unfolded.add(name) : unfolded.delete(name));
  return html`<details class="entry-keys" ?open=${unfolded.has(name)} @toggle=${keep}>
    <summary class="hint" aria-label=${`${label}: ${saying(entry)}`}>${label}</summary>
    ${content}
  </details>`;
}

// Render a button of an entry; `press` gets its name, and by default opens what has this name.
function control(entry, kind, look, label, press = controls.open, about = saying(entry)) {
  const name = `${entry.id} ${kind}`;
  return controls.control(name, look, label, () => press(name), about);
}

// Render the confirmation before an event is sent.
function question(entry, event, asked) {
  const name = `${entry.id} ${event}`;
  return controls.question(name, { ...asked, name: saying(entry) }, () => act(name, event, { entry: entry.id }));
}

// Render a form that changes a text; `change` gets the new one.
function changeForm(name, field, longest, change) {
  return controls.form(name, [field], { save: words.save_change, longest }, (written) => {
    const text = written.trim();
    return text && text !== field.value ? change(text) : undefined;
  });
}
