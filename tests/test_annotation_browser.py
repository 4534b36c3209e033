"""The whole path in headless Chromium, from link to export: mark, rate, compare, go back, resume, a killed server."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.annotation_studies import MODELS, a_store, agree
from tests.conftest import REPOSITORY
from thai_dialect_bench.annotation.export import judgements
from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.judgement_record import Kind

pytest.importorskip("gradio")
playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

SERVE = "from thai_dialect_bench.cli import main; main()"
SCREENSHOTS = os.environ.get("ANNOTATION_SCREENSHOTS")
"""Folder for a picture of every page in both widths, for people who look."""


class Server:
    """The app in a process of its own, cut off from the network."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.file, self.log = file, folder / "network.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        path = os.pathsep.join((str(REPOSITORY / "tests" / "no_network"), str(REPOSITORY)))
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-c", SERVE, "annotate", "serve", str(self.file)),
                *("--port", str(self.port), "--contact", "ทีมตัวอย่าง"),
            ],
            env={**os.environ, "PYTHONPATH": path, "NETWORK_LOG": str(self.log)},
        )
        deadline = time.monotonic() + 60
        while not self.answers():
            assert self.process.poll() is None
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(self.address, timeout=5).close()
        except urllib.error.URLError:
            return False
        return True

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(file: Path, folder: Path) -> Iterator[Server]:
    server = Server(file, folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()
    assert not server.log.exists(), server.log.read_text()


@contextmanager
def browsing(width: int = 1366) -> Iterator[Any]:
    """Yield a page of a new browser that records what it asked for and what came back."""
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 844}, has_touch=width < 500)
        page.set_default_timeout(20_000)
        page.asked, page.errors, page.responses = [], [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("response", lambda response: page.responses.append(response))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        yield page
        assert page.errors == []
        browser.close()


def look(page: Any, name: str) -> None:
    """Check that nothing is wider than the page at both widths, and take pictures if they are wanted."""
    before = page.viewport_size
    for width, height in ((1366, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        if SCREENSHOTS:
            page.wait_for_timeout(300)
            page.screenshot(path=str(Path(SCREENSHOTS) / f"{name}_{width}.png"), full_page=True)
    page.set_viewport_size(before)


def give_consent(page: Any, address: str, key: str) -> None:
    page.goto(f"{address}/?key={key}")
    page.check("input[name=dialect][value=lanna]")
    page.check("input[name=age_band][value='25-34']")
    page.check("#agreed")
    page.click("button.primary")
    page.wait_for_selector("#save")


def select(page: Any, start: int, end: int) -> None:
    """Select characters of the answer as a mouse would, in UTF-16 units as browsers count."""
    page.evaluate(
        """([start, end]) => {
            const walker = document.createTreeWalker(document.querySelector("div.answer"), NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            let place = 0;
            for (let node; (node = walker.nextNode()); place += node.length) {
                if (place <= start && start <= place + node.length) range.setStart(node, start - place);
                if (place < end && end <= place + node.length) range.setEnd(node, end - place);
            }
            const selection = document.getSelection();
            selection.removeAllRanges();
            selection.addRange(range);
        }""",
        [start, end],
    )


def wait_for_place(page: Any, place: int) -> None:
    page.wait_for_function(f"document.querySelector('.annotation h1')?.textContent.includes(' {place} /')")


def opened(folder: Path, kind: Kind) -> tuple[Store, str, str]:
    store, keys = a_store(folder, kind)
    return store, keys["A01"], keys["A02"]


def test_a_dialect_score_from_link_to_export(tmp_path: Path) -> None:
    store, key, _ = opened(tmp_path, "dialect_score")
    with serving(store.file, tmp_path) as server, browsing() as page:
        page.goto(f"{server.address}/?key={key}")
        page.wait_for_selector("#agreed")
        look(page, "consent")
        page.click("button.primary")
        page.wait_for_selector(".notice:not(:empty)")
        assert not store.annotators()[0].consented
        give_consent(page, server.address, key)
        for position in range(6):
            wait_for_place(page, position + 1)
            text = store.task("A01", position).answer_a
            assert page.inner_text("div.answer") == text
            if "😀" in text:
                assert page.locator("div.answer mark.suggested").all_inner_texts() == ["เฮา", "แอ่ว", "กาด", "บ่"]
                page.click(".units button:has-text('Right') >> nth=0")
                place = text.index("บ่")
                # the face is two units for the browser, one character for Python
                select(page, place + 1, place + 3)
                page.click(".tools .right")
                select(page, text.index("แอ่ว"), text.index("แอ่ว") + 4)
                page.click(".tools .wrong")
            else:
                assert page.locator("div.answer mark.suggested").count() == 0
                select(page, text.index("ตลาด"), text.index("ตลาด") + 4)
                page.click(".tools .right")
            page.keyboard.press("3")
            page.click("#save")
            page.wait_for_selector(".notice:not(:empty)")
            page.check("input[name=fluency][value='0.5']")
            look(page, f"dialect_score_{position}")
            page.click("#save")
        page.wait_for_selector("text=All done")
        look(page, "finished")
        for said in judgements(store):
            units = [(unit.text, unit.right) for unit in said.units]
            expected = [("เฮา", True), ("แอ่ว", False), ("บ่", True)] if said.model == MODELS[0] else [("ตลาด", True)]
            assert (said.generation, said.fluency, units) == (1.0, 0.5, expected)
        assert len(judgements(store)) == 6
        assert all(url.startswith(server.address) for url in page.asked)


def test_marking_by_keyboard_alone_and_changing_ones_mind(tmp_path: Path) -> None:
    store, key, _ = opened(tmp_path, "dialect_score")
    agree(store)
    with serving(store.file, tmp_path) as server, browsing() as page:
        page.goto(f"{server.address}/?key={key}")
        page.wait_for_selector("#save")
        text = store.task("A01", 0).answer_a
        page.focus("div.answer")
        page.keyboard.press("Control+Home")
        for _ in range(3):  # letters with their vowel and tone marks: six characters
            page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("r")
        page.keyboard.type("คฟด")
        page.keyboard.press("Enter")
        assert page.inner_text("div.answer") == text
        assert page.inner_text(".units mark.right") == text[:6]
        page.keyboard.press("Control+Home")
        page.keyboard.press("w")
        assert page.inner_text(".units mark.wrong") == text[:6]
        for keys in ("1", "6", "Control+Enter"):
            page.locator("h1").focus()
            page.keyboard.press(keys)
        wait_for_place(page, 2)
        page.click("button:has-text('Back')")
        wait_for_place(page, 1)
        assert page.is_checked("input[name=fluency][value='1']")
        page.focus("div.answer")
        page.keyboard.press("Control+Home")
        page.keyboard.press("Delete")
        page.check("input[name=generation][value='0.5']")
        page.keyboard.press("Control+Enter")
        wait_for_place(page, 2)
        (said,) = judgements(store)
        assert (said.generation, said.fluency, said.units) == (0.5, 1.0, ())


def test_a_preference_on_a_phone_with_a_killed_server(tmp_path: Path) -> None:
    store, _, key = opened(tmp_path, "preference")
    with serving(store.file, tmp_path) as server, browsing(390) as page:
        give_consent(page, server.address, key)
        look(page, "preference")
        page.check("input[name=dialect_choice][value=left]")
        page.check("input[name=answer_choice][value=none]")
        page.click("#save")
        page.wait_for_selector(".notice:not(:empty)")
        page.fill("#reason", "=อ่านแล้วเป็นธรรมชาติ")
        server.kill()
        page.click("#save")
        page.wait_for_selector(".notice:has-text('cannot be reached')")
        look(page, "not_reached")
        server.start()
        page.click("#save")
        wait_for_place(page, 2)
        page.fill("#reason", "ยังไม่เสร็จ")
        page.click("button:has-text('Skip')")
        wait_for_place(page, 3)
        page.goto(f"{server.address}/?key={key}")
        wait_for_place(page, 2)
        assert page.input_value("#reason") == "ยังไม่เสร็จ"
        page.select_option(".go-to select", index=0)
        wait_for_place(page, 1)
        assert page.is_checked("input[name=dialect_choice][value=left]")
        page.select_option(".go-to select", index=2)
        wait_for_place(page, 3)
        page.click("button:has-text('Skip')")
        page.wait_for_selector("text=Some items are left")
        look(page, "left_over")
        (said,) = judgements(store)
        left = store.task("A02", 0).assignment.shown_left
        assert said.annotator == "A02"
        assert said.dialect_choice == said.shown_left == left
        assert (said.answer_choice, said.reason) == ("none", "=อ่านแล้วเป็นธรรมชาติ")


def test_nothing_that_is_served_names_a_model_or_gives_the_file(tmp_path: Path) -> None:
    store, key, _ = opened(tmp_path, "preference")
    agree(store)
    with serving(store.file, tmp_path) as server, browsing() as page:
        page.goto(f"{server.address}/?key={key}")
        page.wait_for_selector("#save")
        page.click("button:has-text('Skip')")
        wait_for_place(page, 2)
        page.wait_for_load_state("networkidle")
        bodies = [answer.text() for answer in page.responses if answer.status == 200 and "heartbeat" not in answer.url]
        more = ("config", "gradio_api/info", "gradio_api/startup-events")
        bodies += [page.request.get(f"{server.address}/{path}").text() for path in more]
        assert any("คำตอบ" in body for body in bodies)
        assert any("component_server" in url for url in page.asked)
        names = [*MODELS, "pilot", key]
        assert not [name for name in names for body in bodies if name in body]
        for path in (store.file, f"{store.file}-wal", store.file.name):
            for route in ("gradio_api/file=", "file=", "gradio_api/file/"):
                answer = page.request.get(f"{server.address}/{route}{path}")
                assert answer.status in (403, 404) or b"SQLite" not in answer.body()


def test_a_link_that_does_not_work_says_so(tmp_path: Path) -> None:
    store, _, _ = opened(tmp_path, "preference")
    with serving(store.file, tmp_path) as server, browsing() as page:
        for end in ("?key=nonsense", ""):
            page.goto(f"{server.address}/{end}")
            page.wait_for_selector("text=This link does not work")
        look(page, "refused")
        assert re.match(r"การประเมินภาษาถิ่น", page.title())
