// The parts of a card: of each, a function of its data, its action (null unless the answer is open), its local state
// and a function that draws it again.

import { refresh } from "../conversation/talk.js";
import { safeMarkup } from "../conversation/markup.js";
import { html, nothing } from "../shared/lit.js";
import { button, confirmation, formsIn, proposalButtons, saidOtherwise, scoreBars, written } from "../shared/panel.js";
import { words } from "../shared/server.js";
import { filled, howMany, lineFields, lineOf, lineText, localDate } from "../shared/text.js";

const FIRST_LOOK_MS = 250;
const LONGEST_MS = 20_000;

/** Render the facts that the message saved, and other statements about each; or that none is saved any more. */
export function facts(told, act, state, redraw) {
  const forms = formsIn(state, redraw);
  const otherLine = (entry, { id: other, text, when, counts, why }) => {
    const key = `${entry} ${other}`;
    const relate = (place, because = "") => act({ operation: "relate", entry, other, place, why: because });
    if (forms.isOpen(key)) {
      const how = { save: words.count_beside, look: "link" };
      return forms.form(key, [{ label: words.count_why }], how, (because) => relate("beside", because));
    }
    const [label, where] = counts ? [words.count_instead, "instead"] : [words.count_beside, "beside"];
    const both = counts ? forms.opener(key, "link", words.count_because) : nothing;
    return html`<p class="hint">${saidOtherwise({ text, when, counts })} ${act ? button("link", label, () => relate(where)) : nothing} ${act ? both : nothing}</p>
      ${counts && why ? html`<p class="hint" dir="auto">${filled(words.counts_both, { why })}</p>` : nothing}`;
  };
  const factLine = ({ id, undo, text, others }) => {
    const takeBack = () => act({ operation: "undo_fact", entry: undo });
    return html`<p class="fact"><strong class="noted">${words.fact_noted}</strong> <q dir="auto">${text}</q> ${act ? button("link", words.undo, takeBack) : nothing}</p>
      ${others.map((other) => otherLine(id, other))}`;
  };
  return told.length ? told.map(factLine) : html`<p class="hint">${words.fact_gone}</p>`;
}

/** Render triples proposed from the message: keep, change, discard, undo. */
export function keep({ triples, by_itself: isByItself, asks }, act, state, redraw) {
  const forms = formsIn(state, redraw);
  const item = ({ number, subject, relation, object, state: stage }) => {
    const line = [subject, relation, object];
    const decide = (told) => act({ operation: "decide", of: "fact", number, ...told });
    if (act && forms.isOpen(number)) {
      const change = (...values) => decide({ act: "keep", text: lineOf(values) });
      const how = { save: words.keep_keep, look: "link" };
      return html`<li class=${stage}>${forms.form(number, lineFields(line), how, change)}</li>`;
    }
    const change = asks ? nothing : forms.opener(number, "link", words.keep_change, lineText(line));
    const labels = asks ? { keep: words.save_it, drop: words.save_not } : {};
    const buttons = act ? proposalButtons(lineText(line), stage, decide, change, "link", labels) : nothing;
    return html`<li class=${stage}>${written(lineText(line), "triple")}${buttons}</li>`;
  };
  const some = (stage) => triples.some((triple) => triple.state === stage);
  const kept = asks ? words.fact_noted : isByItself ? words.keep_by_itself : words.keep_kept;
  const title = some("proposed") ? (asks ? words.save_this : words.keep_title) : some("kept") ? kept : words.keep_not;
  return html`<span>${title}</span><ul class="row" aria-label=${title}>${triples.map(item)}</ul>`;
}

/** Render the lesson drafted from feedback on the answer. */
export function lessons({ drafting, rule, state: stage }, act, state, redraw) {
  if (drafting) {
    if (!state.isLooking) lookForDraft(state, FIRST_LOOK_MS);
    return nothing;
  }
  state.isLooking = false;
  const forms = formsIn(state, redraw);
  const decide = (told) => act({ operation: "decide", of: "lesson", ...told });
  if (forms.isOpen("change")) {
    const field = { label: words.lessons_words, value: rule, isLong: true, isNeeded: true };
    const how = { save: words.keep_keep, look: "link" };
    return forms.form("change", [field], how, (text) => decide({ act: "keep", text }));
  }
  const title = words[stage === "proposed" ? "lessons_drafted" : `lessons_${stage}`];
  const change = forms.opener("change", "link", words.keep_change, rule);
  return html`<p class="draft ${stage}"><span class="hint">${title}</span> ${written(rule, "rule")}</p>
    <div class="foot">${act ? proposalButtons(rule, stage, decide, change) : nothing}</div>`;
}

// Poll while it is being drafted, with growing delays up to a limit.
function lookForDraft(state, wait) {
  state.isLooking = wait <= LONGEST_MS;
  if (!state.isLooking) return;
  setTimeout(() => {
    if (!state.isLooking) return;
    refresh();
    lookForDraft(state, wait * 1.5);
  }, wait);
}

/** Say that the underlined words of the question found an entry. */
export function marks() {
  return html`<p>${words.marks_found}</p>`;
}

/** Render the lookups of the answer, with their results. */
export function looked(lookups) {
  const line = (sides) => sides.map((name) => (name === "I" ? words.looked_you : name)).join(" · ");
  const wanted = ({ asked }) => line(asked.split(" | ").filter((side) => side !== "?"));
  const found = ({ subject, relation, object }) => html`<li dir="auto">${line([subject, relation, object])}</li>`;
  const missed = (lookup) =>
    html`<li dir="auto">${wanted(lookup)}: <em>${words[`looked_${lookup.outcome.replace(" ", "_")}`]}</em></li>`;
  return html`<p>${words.looked_up}</p>
    <ul class="listed">${lookups.map((lookup) => (lookup.found.length ? lookup.found.map(found) : missed(lookup)))}</ul>`;
}

// Render a row of buttons, or the form that one of them opened in its place.
function disputeLine(key, field, told, buttons, act, forms) {
  if (!key || !forms.isOpen(key)) return html`<div class="foot">${buttons}</div>`;
  const dispute = (text) => act({ operation: "dispute", ...told, text });
  return forms.form(key, [field], { save: words.why_save, look: "link" }, dispute);
}

/** Render the disputes of one reason, after the `first` buttons of its row. */
export function disputes({ number, believed }, act, state, redraw, first = nothing) {
  const forms = formsIn(state, redraw);
  const look = first === nothing ? "link" : "chip";
  const say = (label, name) => button(look, label, () => act({ operation: "dispute", act: name, number }));
  const key = `wrong ${number}`;
  const aside = state.isMore ? say(words.why_aside, "does-not-matter") : nothing;
  const doubts = [forms.opener(key, look, words.why_wrong), aside];
  const buttons = [first, believed ? doubts : say(words.why_true, "true")];
  return disputeLine(key, { label: words.why_it_is }, { act: "wrong", number }, buttons, act, forms);
}

/**
 * Render the reasons for an answer, with disputes of each. A language model names them on request. A reason that is among
 * the sources of the answer is shown there, with its disputes.
 */
export function reasons({ reasons: told, calls }, act, state, redraw) {
  if (!told) return act ? button("link", words.why_ask, () => act({ operation: "why" })) : nothing;
  const forms = formsIn(state, redraw);
  const premise = (reason) => {
    const { text, origin, when, believed } = reason;
    const said = believed ? written(text) : html`<em dir="auto">${text}</em>`;
    return html`<li class=${believed ? "" : "disbelieved"}>${said} – <span class="hint">${filled(origin, { day: localDate(when) })}</span>
      ${act ? disputes(reason, act, state, redraw) : nothing}</li>`;
  };
  // Ask for confirmation, since it blocks that step for every question.
  const notFollow = () => {
    if (!forms.isOpen("follow")) return forms.opener("follow", "link", words.why_not_follow);
    const block = () => act({ operation: "dispute", act: "does-not-follow" });
    const asked = { question: words.why_not_follow_sure, label: words.why_not_follow };
    return confirmation(asked, block, () => forms.close("follow"));
  };
  // Render the other actions below the reasons, and to think it through.
  const below = () => {
    const said = { missing: words.why_missing_field, answer: words.why_answer_field };
    const opened = Object.keys(said).find(forms.isOpen) ?? "";
    const unfold = () => {
      state.isMore = !state.isMore;
      redraw();
    };
    const others = () => [
      told.premises.length ? notFollow() : nothing,
      forms.opener("missing", "link", words.why_missing),
      forms.opener("answer", "link", words.why_answer),
    ];
    const think = () => act({ operation: "retry", think: true });
    const buttons = [
      button("link", words.more, unfold, { isExpanded: Boolean(state.isMore) }),
      state.isMore ? others() : nothing,
      calls ? button("link", filled(words.why_think, { count: calls }), think) : nothing,
    ];
    return disputeLine(opened, { label: said[opened], isNeeded: true }, { act: opened }, buttons, act, forms);
  };
  const others = told.premises.filter(({ source }) => !source);
  const list = html`<ol class="listed" aria-label=${words.why_reasons}>${others.map(premise)}</ol>`;
  return html`${told.verdict ? html`<p>${told.verdict}</p>` : nothing}${others.length ? list : nothing}
    ${told.asks ? html`<p class="notice small">${told.asks}</p>` : nothing}${act ? below() : nothing}`;
}

/** Render a button that generates drafts, or the others with their scores and a button to choose each. */
export function drafts({ calls, others, shown, taken }, act) {
  if (!others) {
    const label = calls ? filled(words.drafts_try_calls, { count: calls }) : words.drafts_try;
    return act ? button("link", label, () => act({ operation: "drafts" })) : nothing;
  }
  if (!others.length) return html`<p class="hint">${words.drafts_none}</p>`;
  const take = (label, number, className, about) =>
    act ? button(className, label, () => act({ operation: "take", number }), { about }) : nothing;
  const draft = ({ number, understanding, answer, text, scores }) => html`<li class="draft aside stack">
    ${understanding ? html`<p class="hint">${words.drafts_understood} ${written(understanding)}</p>` : nothing}
    <div class="answer" dir="auto">${safeMarkup(answer)}</div>
    ${scoreBars(scores)} ${take(words.drafts_take, number, "link accent", text.slice(0, 80))}
  </li>`;
  return html`${taken ? html`<p class="hint">${words.drafts_taken} ${take(words.undo, 0, "link", "")}</p>` : nothing}
    <p>${howMany("drafts", others.length)}</p>
    <ol class="stack">${others.map(draft)}</ol>
    ${shown.length ? html`<p class="hint">${words.drafts_shown}</p>${scoreBars(shown)}` : nothing}`;
}
