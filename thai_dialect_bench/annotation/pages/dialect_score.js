// The page of a dialect score: prompt and answer side by side, units, Generation and Fluency beside the guideline.
function dialectScorePage(page) {
  const asUnits = (spans) => spans.map(([start, end]) => ({ start, end }));
  const kept = drafts.find(page);
  const said = kept || page.judgement || { generation: null, fluency: null, units: [] };
  const marks = marking(page.answer, said.units, kept ? kept.suggestions : asUnits(page.suggestions), keep);
  page.selectionChanged = marks.selectionChanged;

  function keep() {
    drafts.keep(page, { ...said, units: marks.units(), suggestions: marks.suggestions() });
  }

  function scale(name, firstKey) {
    const options = [0, 0.5, 1].map((value, index) => ({
      value,
      text: `${name}_${value}`,
      key: String(firstKey + index),
    }));
    return radios(name, say(name), options, said[name], (value) => {
      said[name] = value;
      keep();
    });
  }

  function save() {
    if (said.generation === null || said.fluency === null) return notify(say("scores_missing"));
    saveJudgement(page, { generation: said.generation, fluency: said.fluency, units: marks.units() });
  }

  const answer = h(
    "section",
    { "aria-labelledby": "answer" },
    h("h2", { id: "answer" }, say("answer")),
    page.answer.trim() ? marks.nodes : h("p", { class: "answer" }, plain("no_answer")),
  );
  const guide = ["guide_units", "guide_right", "guide_spelling", "guide_generation", "guide_fluency"];
  return h(
    "main",
    {},
    progressLine(page),
    h("div", { class: "sides" }, promptSection(page), answer),
    h(
      "div",
      { class: "sides" },
      h("section", { class: "scales" }, scale("generation", 1), scale("fluency", 4)),
      guideline("keys_score", guide),
    ),
    footer(page, save),
  );
}
