// An answer in which units are marked by selecting text. Offsets are in code points, as in Python, not in UTF-16.
function marking(text, units, suggestions, changed) {
  const characters = Array.from(text);
  const between = (start, end) => characters.slice(start, end).join("");
  let chosen = null; // the last selection inside the answer; a phone drops the real one when a button is touched

  // Editable, so that it has a caret and Shift+arrows select; every change to the text itself is refused.
  const answer = h("div", {
    class: "answer",
    contenteditable: "true",
    inputmode: "none",
    role: "textbox",
    "aria-readonly": "true",
    "aria-multiline": "true",
    "aria-label": plain("answer"),
    spellcheck: "false",
    lang: "th",
    onbeforeinput: (event) => event.preventDefault(),
    ondrop: (event) => event.preventDefault(),
    oninput: () => render(), // an input method may have written all the same
    onkeydown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = { KeyR: () => mark(true), KeyW: () => mark(false), Delete: remove, Backspace: remove }[event.code];
      if (act) {
        event.preventDefault();
        act();
      }
    },
  });
  const list = h("div", { class: "units" });

  function offset(node, within) {
    const range = document.createRange();
    range.setStart(answer, 0);
    range.setEnd(node, within);
    return Array.from(range.toString()).length;
  }

  function selectionChanged() {
    const selection = document.getSelection();
    if (!selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    if (!answer.contains(range.startContainer) || !answer.contains(range.endContainer)) return;
    chosen = trimmed(offset(range.startContainer, range.startOffset), offset(range.endContainer, range.endOffset));
  }

  // Whole letters with their vowel and tone marks, without white space around.
  function trimmed(start, end) {
    if (start === end) return { start, end };
    if (Intl.Segmenter) {
      let place = 0;
      let [from, to] = [start, end];
      for (const { segment } of new Intl.Segmenter("th", { granularity: "grapheme" }).segment(text)) {
        const next = place + Array.from(segment).length;
        if (place <= start && start < next) from = place;
        if (place < end && end <= next) to = next;
        place = next;
      }
      [start, end] = [from, to];
    }
    while (start < end && !characters[start].trim()) start++;
    while (start < end && !characters[end - 1].trim()) end--;
    return { start, end };
  }

  const overlaps = (one, other) => one.start < other.end && other.start < one.end;
  const unitAt = (place) => units.find((unit) => unit.start <= place && place <= unit.end);

  function mark(right) {
    selectionChanged(); // its event comes late when keys are pressed fast
    const caret = chosen && chosen.start === chosen.end;
    const target = caret ? unitAt(chosen.start) : chosen;
    if (!target) return notify(say("select_first"));
    put({ start: target.start, end: target.end, right });
  }

  function put(unit) {
    units = units.filter((other) => !overlaps(unit, other));
    units.push(unit);
    units.sort((one, other) => one.start - other.start);
    suggestions = suggestions.filter((other) => !overlaps(unit, other));
    done(unit.end);
  }

  function remove() {
    selectionChanged();
    if (!chosen) return notify(say("select_first"));
    const caret = chosen.start === chosen.end;
    const gone = caret ? [unitAt(chosen.start)] : units.filter((unit) => overlaps(unit, chosen));
    units = units.filter((unit) => !gone.includes(unit));
    done(chosen.end);
  }

  function done(caret) {
    const focused = document.activeElement === answer;
    notify(null);
    render();
    if (focused) placeCaret(caret || 0);
    else if (answer.contains(document.getSelection().anchorNode)) document.getSelection().removeAllRanges();
    chosen = null;
    changed();
  }

  // Rendering makes new nodes; without this the caret would jump to the beginning.
  function placeCaret(place) {
    let left = between(0, place).length;
    const walker = document.createTreeWalker(answer, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.length) return document.getSelection().collapse(node, left);
      left -= node.length;
    }
  }

  function render() {
    const marks = [
      ...units.map((unit) => ({ ...unit, kind: unit.right ? "right" : "wrong" })),
      ...suggestions.map((unit) => ({ ...unit, kind: "suggested" })),
    ].sort((one, other) => one.start - other.start);
    const parts = [];
    let place = 0;
    for (const { start, end, kind } of marks) {
      parts.push(between(place, start), h("mark", { class: kind }, between(start, end)));
      place = end;
    }
    parts.push(between(place));
    // nodes for no text would only be stops for the caret
    answer.replaceChildren(...parts.filter((part) => part !== ""));
    list.replaceChildren(...unitList(), ...suggestionList());
  }

  function unitList() {
    const rows = units.map((unit) =>
      h(
        "li",
        {},
        h("mark", { class: unit.right ? "right" : "wrong", lang: "th" }, between(unit.start, unit.end)),
        h(
          "span",
          { class: "buttons" },
          small("mark_right", () => put({ ...unit, right: true }), unit.right),
          small("mark_wrong", () => put({ ...unit, right: false }), !unit.right),
          small("mark_remove", () => {
            units = units.filter((other) => other !== unit);
            done();
          }),
        ),
      ),
    );
    return [h("h3", {}, say("units")), rows.length ? h("ul", {}, rows) : h("p", { class: "english" }, plain("no_units"))];
  }

  function suggestionList() {
    if (!suggestions.length) return [];
    const rows = suggestions.map((unit) =>
      h(
        "li",
        {},
        h("mark", { class: "suggested", lang: "th" }, between(unit.start, unit.end)),
        h(
          "span",
          { class: "buttons" },
          small("mark_right", () => put({ ...unit, right: true })),
          small("mark_wrong", () => put({ ...unit, right: false })),
          small("not_a_unit", () => {
            suggestions = suggestions.filter((other) => other !== unit);
            done();
          }),
        ),
      ),
    );
    return [h("h3", {}, say("suggestions")), h("ul", {}, rows)];
  }

  function small(id, pressed, on) {
    return button(id, pressed, { class: "small", "aria-pressed": on === undefined ? null : String(on) });
  }

  // pointerdown would take the selection away before the click
  const keep = { onpointerdown: (event) => event.preventDefault() };
  const tools = h(
    "div",
    { class: "buttons tools" },
    button("mark_right", () => mark(true), { class: "right", ...keep }),
    button("mark_wrong", () => mark(false), { class: "wrong", ...keep }),
    button("mark_remove", remove, keep),
  );
  render();
  return {
    nodes: [h("p", { class: "hint" }, say("mark_hint")), answer, tools, list],
    selectionChanged,
    units: () => units.map((unit) => ({ ...unit, text: between(unit.start, unit.end) })),
    suggestions: () => suggestions,
  };
}
