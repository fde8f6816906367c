// What was looked up for the answer: a small mark, and behind it what was found.
cardParts.looked = (part, looks) => {
  const called = (name) => (name === "I" ? words.looked_you : name);
  const line = (sides) => sides.map(called).join(" · ");
  const wanted = ({ asked }) => line(asked.split(" | ").filter((side) => side !== "?"));
  const said = ({ subject, relation, object }) => makeWritten("li", "", line([subject, relation, object]));
  const nothing = (look) => {
    const item = makeWritten("li", "", `${wanted(look)}: `);
    item.append(make("em", "", words[`looked_${look.outcome.replace(" ", "_")}`]));
    return item;
  };
  const summary = make("summary", "hint", `${words.looked_up} `);
  summary.append(makeWritten("span", "", looks.map(wanted).join("; ")));
  const list = make("ul", "hint");
  list.append(...looks.flatMap((look) => (look.found.length ? look.found.map(said) : [nothing(look)])));
  const mark = make("details");
  mark.open = part.querySelector("details")?.open ?? false;
  mark.append(summary, list);
  part.replaceChildren(mark);
};
