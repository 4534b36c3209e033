// Small helpers: elements, texts in two languages, groups of radio buttons. Texts never pass through innerHTML.
const root = element.querySelector(".annotation");

function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity));
  return node;
}

// Thai first, English after it: two spans.
function say(id) {
  const [thai, english] = TEXTS[id];
  return [h("span", { lang: "th" }, thai), " ", h("span", { lang: "en", class: "english" }, english)];
}

// One text in both languages for an attribute or an option, which cannot hold elements.
function plain(id) {
  return TEXTS[id].join(" / ");
}

// A fieldset of radio buttons. options: {value, text, key}; key is the digit that chooses it.
function radios(name, legend, options, chosen, changed) {
  const choices = options.map(({ value, text, key }) =>
    h(
      "label",
      { class: "choice" },
      h("input", {
        type: "radio",
        name,
        value,
        checked: value === chosen,
        "data-key": key,
        onchange: () => changed(value),
      }),
      h("span", {}, typeof text === "string" && TEXTS[text] ? say(text) : text),
    ),
  );
  return h("fieldset", { id: name }, h("legend", {}, legend), choices);
}

function button(text, pressed, attributes) {
  return h("button", { type: "button", onclick: pressed, ...attributes }, say(text));
}

// A text of each language as a paragraph of its own.
function paragraphs(id) {
  return TEXTS[id].map((text, index) => h("p", { lang: ["th", "en"][index], class: index ? "english" : null }, text));
}

// Beside the scores on a wide screen; on a phone it is closed, or the way to the buttons would be long.
function guideline(keys, texts) {
  return h(
    "details",
    { class: "guideline", open: window.matchMedia("(min-width: 900px)").matches },
    h("summary", {}, h("h2", {}, say("guideline"))),
    texts.map(paragraphs),
    h("p", { class: "keys" }, h("strong", {}, say("keys")), ": ", say(keys)),
  );
}

function notify(content) {
  const notice = root.querySelector(".notice");
  notice.replaceChildren(...(content ? [content].flat() : []));
  if (content) notice.scrollIntoView({ block: "nearest" });
}
