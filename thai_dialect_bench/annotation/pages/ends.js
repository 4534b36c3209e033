// The last page, and the page of a link that does not work.
function finishedPage(page) {
  const judged = new Set(page.judged);
  const open = Array.from({ length: page.total }, (_, place) => place).filter((place) => !judged.has(place));
  const next = button("next_open", () => send({ action: "go", position: open[0] }), { class: "primary" });
  return h(
    "main",
    { class: "narrow" },
    h("h1", { tabindex: "-1" }, say(open.length ? "left_over" : "finished")),
    h("p", {}, say("done"), ` ${page.judged.length} / ${page.total}`),
    h("p", {}, say(open.length ? "left_over_why" : "finished_why")),
    h("div", { class: "notice", role: "alert" }),
    h(
      "div",
      { class: "buttons" },
      button("back", () => send({ action: "go", position: page.total - 1 })),
      goToList(page),
      open.length ? next : [],
    ),
  );
}

function refusedPage() {
  return h(
    "main",
    { class: "narrow" },
    h("h1", { tabindex: "-1" }, say("refused")),
    h("p", {}, say("refused_why")),
    h("div", { class: "notice", role: "alert" }),
  );
}
