// The first page: what is asked and stored, dialect, age band, agreement.
function consentPage(page) {
  const said = { agreed: false };
  const group = (name, legend, values) =>
    radios(name, say(legend), values.map((value) => ({ value, text: value })), null, (value) => (said[name] = value));

  const start = () => {
    if (said.agreed && said.dialect && said.age_band) send({ action: "consent", ...said });
    else notify(say("consent_missing"));
  };
  return h(
    "main",
    { class: "narrow" },
    h("h1", { tabindex: "-1" }, say("consent_title")),
    ["consent_what", "consent_stored", "consent_free"].map(paragraphs),
    page.contact ? h("p", {}, say("consent_contact"), " ", page.contact) : [],
    group("dialect", "your_dialect", page.spoken),
    group("age_band", "your_age", page.age_bands),
    h(
      "label",
      { class: "choice" },
      h("input", { type: "checkbox", id: "agreed", onchange: (event) => (said.agreed = event.target.checked) }),
      h("span", {}, say("agree")),
    ),
    h("div", { class: "notice", role: "alert" }),
    h("div", { class: "buttons" }, button("start", start, { class: "primary" })),
  );
}
