// Sends messages to the server and shows the page that comes back; keys that work on every page.
const PAGES = {
  consent: consentPage,
  dialect_score: dialectScorePage,
  preference: preferencePage,
  finished: finishedPage,
  refused: refusedPage,
};
const key = new URLSearchParams(window.location.search).get("key") || "";
let shown = {};
let waiting = false;

// Returns the page, or null if there is none; then what was answered still stands on the old one.
async function send(message) {
  if (waiting) return null;
  waiting = true;
  root.setAttribute("aria-busy", "true");
  try {
    const page = await server.respond({ key, ...message });
    if (!page || !PAGES[page.page]) {
      notify(page && page.error ? page.error : say("not_reached"));
      return null;
    }
    shown = page;
    root.replaceChildren(PAGES[page.page](page));
    window.scrollTo(0, 0);
    root.querySelector("h1").focus({ preventScroll: true });
    return page;
  } catch {
    notify(say("not_reached"));
    return null;
  } finally {
    waiting = false;
    root.removeAttribute("aria-busy");
  }
}

document.addEventListener("selectionchange", () => shown.selectionChanged && shown.selectionChanged());
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const save = root.querySelector("#save");
    if (save) {
      event.preventDefault();
      save.click();
    }
    return;
  }
  const writing = event.target.closest && event.target.closest("textarea, select");
  if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
  const digit = (event.code.match(/^(?:Digit|Numpad)(\d)$/) || [])[1]; // the same place on a Thai keyboard
  const choice = digit && root.querySelector(`input[data-key="${digit}"]`);
  if (choice) {
    event.preventDefault();
    choice.click();
  }
});

root.replaceChildren(h("main", { class: "narrow" }, h("p", {}, say("loading")), h("div", { class: "notice" })));
send({ action: "open" });
