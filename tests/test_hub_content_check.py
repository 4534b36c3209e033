"""Personal data, paths of a machine and null bytes are found in every text, and named by their place only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import List, Value

from healthdial.privacy_rules import CONTENT_RULES as HEALTHDIAL
from hub.card import read_card
from hub.contacts import DoubtfulContact
from hub.content_check import SHOWN_POSITIONS, check_content, check_text_files
from hub.faults import AllowedContacts, ContentRules, Fault
from hub.footers import read_footers
from hub.personal_data import kinds_in
from tests.hub_folders import copy_of, edit_card, file_of, made_table, read_table, replace_table
from thai_dialect_bench.content_rules import CONTENT_RULES as THAI

ACCOUNT = "5f1e0c9ab3d27846ef015c2d"
EMAIL = "heron.wharf@mail.example.org"
PLAIN = ContentRules(patterns={"email": re.compile(r"[\w.]+@[\w.]+\.\w+"), "telephone": re.compile(r"\d{3}-\d{7}")})
IS_TEXT = {"text": Value("string")}


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def faults(folder: Path, rules: ContentRules = PLAIN) -> list[Fault]:
    card = read_card(folder)
    return list(check_content(card, read_footers(card.data_files), rules))


def short(folder: Path, rules: ContentRules = PLAIN) -> list[tuple[str, str]]:
    return [(fault.check, fault.message.split(":")[0]) for fault in faults(folder, rules)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"Write to {EMAIL}.", "email"),
        (f"https://example.org/?to={EMAIL}", "email"),
        ("Call 020-7946001 now", "telephone"),
        (f"{ACCOUNT}_eng_0001.wav", "account_id"),
        (f"说话人{ACCOUNT.upper()}。", "account_id"),
        (f"https://example.org/users/{ACCOUNT}", "account_id"),
        ("from 203.0.113.9.", "ip_address"),
        ("地址192.168.7.20是", "ip_address"),
        ("host [2001:db8::7e:12] and", "ip_address"),
        ("fe80::1c2d", "ip_address"),
        ("see /home/heron/data.json", "absolute_path"),
        ("路径/Users/heron/x", "absolute_path"),
        ("path:/mnt/disk/x", "absolute_path"),
        ("file:///x/y", "absolute_path"),
        (r"C:\Users\heron", "absolute_path"),
        ("D:/Data/heron.wav", "absolute_path"),
        (r"\\server\share\x", "absolute_path"),
        ("a\0b", "null_byte"),
    ],
)
def test_a_text_with_one_kind_of_unwanted_content(text: str, kind: str) -> None:
    assert list(kinds_in(text, PLAIN.patterns)) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "0123456789abcdef" * 4,
        ACCOUNT + "0",
        "a9f44ca3-0123-4567-8901-1a02582fbd60",
        "12345678-0123-4567-8901-234567890123",
        "https://www.who.int/home/tmp/020-7946001?a=203.0.113.9",
        "[x](https://example.org/home/x/y) and/or /home or data/x/y",
        "{folder}/data/train, <folder>/data/x, ~/data/x, s3:///data/x",
        "at 12:30:45 or 10:20, verse a::b, version 1.2.3, 1.2.3.4.5 and 999.1.1.1",
        "127.0.0.1:8000 and [::1]",
        "p:alpha C: no, A:\\ and 1/2",
        "eng-0050-u03 spk_eng_07 2024-05-03",
    ],
)
@pytest.mark.parametrize("rules", [PLAIN, HEALTHDIAL, THAI])
def test_what_only_looks_like_it_is_left_alone(text: str, rules: ContentRules) -> None:
    assert list(kinds_in(text, rules.patterns)) == []


@pytest.mark.parametrize(
    "number",
    ["02-123-4567", "081-234-5678", "0812345678", "+66 81 234 5678", "๐๘๑-๒๓๔-๕๖๗๘", "02 1234567", "053-123-456"],
)
def test_thai_telephone_numbers_are_found(number: str) -> None:
    assert list(kinds_in(f"โทร{number}นะ", THAI.patterns)) == ["telephone"]


@pytest.mark.parametrize("text", ["2567", "12.00-22.00", "1,000,000", "10 000 000", "เลข 123456", "0.0812345678"])
def test_thai_numbers_that_are_none_are_left_alone(text: str) -> None:
    assert list(kinds_in(text, THAI.patterns)) == []


def test_a_fault_names_rows_and_column_and_not_the_content(folder: Path) -> None:
    table = made_table({"text": ["", EMAIL, None, f"{EMAIL} {EMAIL}"]}, IS_TEXT)
    replace_table(folder, "isan", table, row_group_size=2)
    (fault,) = faults(folder)
    assert fault == Fault(
        "email",
        "config isan, split test",
        "rows 1, 3, column text: an e-mail address. Remove or mask it and build again.",
    )


def test_only_the_first_rows_are_named(folder: Path) -> None:
    replace_table(folder, "isan", made_table({"text": [EMAIL] * 9}, IS_TEXT))
    assert short(folder) == [("email", "rows 0, 1, 2, 3, 4 and 4 more, column text")]
    assert SHOWN_POSITIONS == 5


def test_rows_count_on_over_the_files_of_a_split(folder: Path) -> None:
    table = made_table({"text": ["a", EMAIL]}, IS_TEXT)
    file = replace_table(folder, "isan", table)
    second = file.with_name("test-fedcba9876543210.parquet")
    second.write_bytes(file.read_bytes())
    paths = [path.relative_to(folder).as_posix() for path in (file, second)]
    edit_card(folder, lambda metadata: next(iter(_of(metadata, "isan")["data_files"])).update(path=paths))
    assert short(folder) == [("email", "rows 1, 3, column text")]


def _of(metadata: dict[Any, Any], config: str) -> Any:
    return next(one for one in metadata["configs"] if one["config_name"] == config)


def test_lists_and_records_are_searched(folder: Path) -> None:
    features = {"turns": List({"role": Value("string"), "text": Value("string")}), "tags": List(Value("string"))}
    turns = [{"role": "user", "text": "a"}, {"role": "assistant", "text": EMAIL}]
    replace_table(folder, "isan", made_table({"turns": [[], turns], "tags": [["b", ACCOUNT], None]}, features))
    assert short(folder) == [("account_id", "row 0, column tags"), ("email", "row 1, column turns.text")]


def test_contacts_are_allowed_by_column_or_role_and_nothing_else_is(folder: Path) -> None:
    text = f"{EMAIL} 203.0.113.9 {ACCOUNT} /home/heron/x"
    features = {"role": Value("string"), "answer": Value("string"), "said": Value("string")}
    columns = {"role": ["user", "assistant"], "answer": [text, text], "said": [text, text]}
    replace_table(folder, "isan", made_table(columns, features))
    allowed = (
        AllowedContacts(("is*",), ("ans*",)),
        AllowedContacts(("lanna",), ("*",)),
        AllowedContacts(("*",), ("*",), beside={"role": ("assistant",)}),
    )
    rules = ContentRules(PLAIN.patterns, allowed)
    assert short(folder, rules) == [
        ("absolute_path", "rows 0, 1, column answer"),
        ("account_id", "rows 0, 1, column answer"),
        ("absolute_path", "rows 0, 1, column said"),
        ("account_id", "rows 0, 1, column said"),
        ("email", "row 0, column said"),
        ("ip_address", "row 0, column said"),
    ]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [(None, []), (("telephone",), ["email"]), (("email", "telephone"), []), ((), ["email", "telephone"])],
)
def test_contacts_are_allowed_by_kind(folder: Path, kinds: tuple[str, ...] | None, expected: list[str]) -> None:
    replace_table(folder, "isan", made_table({"text": [f"{EMAIL}, 020-7946001"]}, IS_TEXT))
    rules = ContentRules(PLAIN.patterns, (AllowedContacts(("isan",), ("text",), kinds),))
    assert [kind for kind, _ in short(folder, rules)] == expected


REPEATED = ContentRules(
    PLAIN.patterns,
    (AllowedContacts(("isan",), ("text",)), AllowedContacts(("central",), ("text",), known_from=("isan", "dambro"))),
)


@pytest.mark.parametrize(
    ("public", "repeated", "expected"),
    [
        (f"{EMAIL}, 020-7946001, 203.0.113.9", f"at 203.0.113.9 or 020-7946001 or {EMAIL}", []),
        (f"{EMAIL}, 020-7946001", f"at {EMAIL} or 020-7946002", ["telephone"]),
        (EMAIL, f"{EMAIL} or my.{EMAIL}", ["email"]),
        (EMAIL, f"{EMAIL}, x@y.org", ["email"]),
        ("203.0.113.9", "203.0.113.98", ["ip_address"]),
        ("", EMAIL, ["email"]),
    ],
)
def test_a_contact_may_repeat_a_public_one_that_stands_in_another_config(
    folder: Path, public: str, repeated: str, expected: list[str]
) -> None:
    """The configs that are public come after the one that repeats them."""
    replace_table(folder, "central", made_table({"text": [repeated]}, IS_TEXT))
    replace_table(folder, "isan", made_table({"text": [public]}, IS_TEXT))
    assert [fault.check for fault in faults(folder, REPEATED)] == expected
    assert {fault.place for fault in faults(folder, REPEATED)} <= {"config central, split test"}


def test_a_contact_that_is_public_in_a_config_of_others_is_a_fault(folder: Path) -> None:
    replace_table(folder, "central", made_table({"text": [EMAIL]}, IS_TEXT))
    replace_table(folder, "lanna", made_table({"text": [EMAIL]}, IS_TEXT))
    rules = ContentRules(PLAIN.patterns, (*REPEATED.allowed_contacts, AllowedContacts(("lanna",), ("text",))))
    assert [(fault.check, fault.place) for fault in faults(folder, rules)] == [("email", "config central, split test")]


def test_a_number_that_runs_into_the_next_text_is_still_the_public_one(folder: Path) -> None:
    replace_table(folder, "central", made_table({"text": ["+44 20 7946 0018 2 more", "+44 20 7946 0018 7"]}, IS_TEXT))
    replace_table(folder, "isan", made_table({"text": ["+44 20 7946 0018"]}, IS_TEXT))
    rules = ContentRules(HEALTHDIAL.patterns, REPEATED.allowed_contacts)
    assert faults(folder, rules) == []
    replace_table(folder, "isan", made_table({"text": ["+44 20 7946 0019"]}, IS_TEXT))
    assert short(folder, rules) == [("telephone", "rows 0, 1, column text")]


def test_doubtful_contacts_are_not_told_by_repr() -> None:
    assert EMAIL not in repr(DoubtfulContact("text", 0, "email", EMAIL, ()))


@pytest.mark.parametrize(
    ("task", "column", "text", "expected"),
    [
        ("summarization", "input", "081-234-5678", []),
        ("summarization", "prompt", "081-234-5678", []),
        ("summarization", "input", EMAIL, ["email"]),
        ("summarization", "reference", "081-234-5678", ["telephone"]),
        ("qa", "input", "081-234-5678", ["telephone"]),
        ("food", "prompt", "081-234-5678", ["telephone"]),
    ],
)
def test_in_thai_only_articles_have_telephone_numbers(
    folder: Path, task: str, column: str, text: str, expected: list[str]
) -> None:
    table = read_table(folder, "isan")
    rows = table.to_pylist()
    next(row for row in rows if row["task"] == task)[column] = text
    replace_table(folder, "isan", pa.Table.from_pylist(rows, table.schema))
    assert [fault.check for fault in faults(folder, THAI)] == expected


def test_the_files_own_metadata_is_searched(folder: Path) -> None:
    file, table = file_of(folder, "isan"), read_table(folder, "isan")
    metadata = {**table.schema.metadata, b"made": b"in /home/heron/x"}
    pq.write_table(table.replace_schema_metadata(metadata), file)
    (fault,) = faults(folder)
    assert (fault.check, fault.place) == ("absolute_path", file.relative_to(folder).as_posix())


def test_damaged_rows_are_a_fault_and_the_rest_is_searched(folder: Path) -> None:
    replace_table(folder, "lanna", made_table({"text": [EMAIL]}, IS_TEXT))
    file = replace_table(folder, "isan", made_table({"text": ["so " * 3000]}, IS_TEXT), compression="gzip")
    content = bytearray(file.read_bytes())
    content[4:60] = bytes(56)
    file.write_bytes(content)
    assert [fault.check for fault in faults(folder)] == ["unreadable_rows", "email"]


@pytest.mark.parametrize("name", ["README.md", "LICENSE.md", "splits.json"])
def test_text_files_are_searched_by_line(folder: Path, name: str) -> None:
    file = folder / name
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    value = EMAIL.replace("@", "\\u0040") if file.suffix == ".json" else EMAIL
    file.write_text(f'{before}\n{{"place": "{value}"}}\n', encoding="utf-8")
    (fault,) = check_text_files(folder, PLAIN)
    lines = before.count("\n") + 2
    assert fault == Fault("email", name, f"line {lines}: an e-mail address. Remove it and build again.")


def test_a_windows_path_in_json_is_found(folder: Path) -> None:
    (folder / "splits.json").write_text(json.dumps({"a": r"C:\Users\heron\x", "b": "1"}), encoding="utf-8")
    assert [fault.check for fault in check_text_files(folder, PLAIN)] == ["absolute_path"]


def test_names_of_files_are_searched_and_not_told(folder: Path) -> None:
    (folder / "data" / f"{ACCOUNT}_x.parquet").touch()
    (folder / "data" / f"{EMAIL}.parquet").touch()
    found = list(check_text_files(folder, PLAIN))
    assert [(fault.check, fault.place) for fault in found] == [("account_id", "data"), ("email", "data")]
    assert not {ACCOUNT, EMAIL} & set(re.split(r"[\s,:]", " ".join(f"{one.place} {one.message}" for one in found)))


def test_files_that_are_left_alone_are_not_searched(folder: Path) -> None:
    (folder / "notes.txt").write_text(EMAIL, encoding="utf-8")
    assert list(check_text_files(folder, ContentRules(PLAIN.patterns, left_alone=(r".*\.txt",)))) == []
    assert [fault.place for fault in check_text_files(folder, PLAIN)] == ["notes.txt"]


def test_one_batch_of_rows_is_in_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_table(folder, "isan", made_table({"text": ["a"] * 2500}, IS_TEXT), row_group_size=2000)
    lengths: list[int] = []
    whole = pq.ParquetFile.iter_batches

    def watched(*arguments: Any, **options: Any) -> Any:
        for batch in whole(*arguments, **options):
            lengths.append(len(batch))
            yield batch

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watched)
    assert faults(folder) == []
    assert max(lengths) == 1000


def test_the_built_samples_have_no_unwanted_content(sample_data: Path) -> None:
    assert faults(sample_data, THAI) == []
    assert list(check_text_files(sample_data, THAI)) == []


def test_the_thai_release_has_a_helpline_in_an_article_and_nothing_else(upstream: Path, tmp_path: Path) -> None:
    from thai_dialect_bench.build import build
    from thai_dialect_bench.release import read_release

    folder = build(read_release(upstream), tmp_path).folder
    assert faults(folder, THAI) == []
    assert list(check_text_files(folder, THAI)) == []
    strict = {fault.message.split("column ")[1] for fault in faults(folder, ContentRules(THAI.patterns))}
    assert {text.split(":")[0].split("_")[0] for text in strict} == {"input", "prompt"}
    assert all("telephone" in text for text in strict)


def test_texts_of_dictionary_and_large_types_are_searched(folder: Path) -> None:
    file = file_of(folder, "isan")
    texts = pa.array([EMAIL])
    columns = {"a": texts.dictionary_encode(), "b": texts.cast(pa.large_string()), "c": texts.cast(pa.string_view())}
    pq.write_table(pa.table(columns), file)
    assert [message for _, message in short(folder)] == [f"row 0, column {name}" for name in "abc"]
