// What both kinds of study share: progress, the way back and forth, unsaved answers kept in this tab.
function progressLine(page) {
  return h(
    "header",
    {},
    h("h1", { tabindex: "-1" }, say("place"), ` ${page.position + 1} / ${page.total}`),
    h("span", {}, h("strong", {}, say("dialect")), ": ", say(page.dialect)),
    h("span", {}, say("done"), ` ${page.judged.length} / ${page.total}`),
    h("progress", { value: page.judged.length, max: page.total, "aria-label": plain("done") }),
  );
}

function goToList(page) {
  const judged = new Set(page.judged);
  const options = Array.from({ length: page.total }, (_, place) =>
    h("option", { value: place, selected: place === page.position }, `${place + 1}${judged.has(place) ? " ✓" : ""}`),
  );
  // after the last item none is chosen, so that each can be
  if (page.position >= page.total) options.unshift(h("option", { selected: true, disabled: true }, "–"));
  return h(
    "label",
    { class: "go-to" },
    h("span", {}, say("go_to")),
    h("select", { onchange: (event) => send({ action: "go", position: Number(event.target.value) }) }, options),
  );
}

function footer(page, save) {
  return h(
    "footer",
    {},
    h("div", { class: "notice", role: "alert" }),
    h(
      "div",
      { class: "buttons" },
      button("back", () => send({ action: "go", position: page.position - 1 }), { disabled: page.position === 0 }),
      goToList(page),
      button("skip", () => send({ action: "go", position: page.position + 1 })),
      button("save", save, { class: "primary", id: "save" }),
    ),
  );
}

function promptSection(page) {
  return h(
    "details",
    { class: "prompt", open: true },
    h("summary", {}, h("h2", {}, say("prompt"))),
    h("div", { class: "text", lang: "th", tabindex: "0", role: "region", "aria-label": plain("prompt") }, page.prompt),
  );
}

// Answers that were not saved stay in this tab until they are; the texts say whether a draft is of this item.
const drafts = {
  name: (page) => `annotation ${page.annotator} ${page.position}`,
  texts: (page) => JSON.stringify([page.prompt, page.answer, page.left, page.right]),
  keep(page, said) {
    notify(null);
    try {
      sessionStorage.setItem(this.name(page), JSON.stringify({ texts: this.texts(page), said }));
    } catch {} // storage is full or switched off: only the draft is lost
  },
  find(page) {
    try {
      const draft = JSON.parse(sessionStorage.getItem(this.name(page)));
      return draft && draft.texts === this.texts(page) ? draft.said : null;
    } catch {
      return null;
    }
  },
  drop(page) {
    try {
      sessionStorage.removeItem(this.name(page));
    } catch {}
  },
};

async function saveJudgement(page, judgement) {
  if (await send({ action: "save", position: page.position, judgement })) drafts.drop(page);
}
