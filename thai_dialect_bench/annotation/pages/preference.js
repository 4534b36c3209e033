// The page of a preference: two answers side by side, two aspects with four choices each, a reason.
function preferencePage(page) {
  const said = drafts.find(page) || page.judgement || { dialect_choice: null, answer_choice: null, reason: "" };
  const keep = () => drafts.keep(page, said);

  function aspect(name, firstKey) {
    const options = ["left", "right", "both", "none"].map((value, index) => ({
      value,
      text: value,
      key: String(firstKey + index),
    }));
    return radios(name, say(name), options, said[name], (value) => {
      said[name] = value;
      keep();
    });
  }

  function save() {
    if (!said.dialect_choice || !said.answer_choice || !said.reason.trim()) return notify(say("choices_missing"));
    saveJudgement(page, said);
  }

  const answer = (title, text) =>
    h(
      "section",
      {},
      h("h2", {}, say(title)),
      h("div", { class: "answer", lang: "th", tabindex: "0", role: "region", "aria-label": plain(title) }, text.trim() ? text : plain("no_answer")),
    );
  const reason = h("textarea", {
    id: "reason",
    rows: 3,
    maxlength: page.longest_reason,
    required: true,
    oninput: (event) => {
      said.reason = event.target.value;
      keep();
    },
  });
  reason.value = said.reason;
  const guide = ["guide_dialect_choice", "guide_answer_choice", "guide_both", "guide_reason"];
  return h(
    "main",
    {},
    progressLine(page),
    promptSection(page),
    h("div", { class: "sides" }, answer("answer_a", page.left), answer("answer_b", page.right)),
    h(
      "div",
      { class: "sides" },
      h(
        "section",
        { class: "scales" },
        aspect("dialect_choice", 1),
        aspect("answer_choice", 5),
        h("label", { class: "reason", for: "reason" }, say("reason")),
        reason,
      ),
      guideline("keys_preference", guide),
    ),
    footer(page, save),
  );
}
