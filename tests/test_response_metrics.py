"""Refusals, sentences and lexical support of answers; what the measures find on the bundled sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.schema import SPLITS
from healthdial.systems.replies import REFUSALS, SMALL_TALK
from hub.location import DataLocation
from metrics.refusals import REFUSAL_PATTERNS, find_refusal, is_refusal
from metrics.response import LexicalSupport, Refusals, content_words
from metrics.sentences import sentences

pytest_plugins = ("tests.healthdial_text_sample",)

REFUSED = {
    "eng": (
        "I'm sorry, but I don't have that information.",
        "Unfortunately we cannot answer this question.",
        "The knowledge base does not cover that topic.",
        "I couldn't find any details about it. You may ask a pharmacist.",
        "I can't tell you that.",
        "If you mean frozen eggs, I have no information.",
        "I don't know if you can freeze them.",
        "No information was found.",
        "There is nothing in my knowledge base on that.",
        "I wasn't able to find anything.",
        "I lack information.",
        "Unfortunately this isn't something I know about.",
        "That question is out of my knowledge.",
    ),
    "spa": (
        "Lamentablemente, no dispongo de datos sobre ese tema.",
        "No puedo ayudarle con esa pregunta.",
        "Los documentos no mencionan ese medicamento. Consulte a su médico.",
        "Lo desconozco.",
        "No sé.",
        "Lo siento, no lo se.",
        "Carezco de información.",
        "No sé si se pueden congelar.",
        "Si se refiere a los huevos, no tengo información.",
    ),
    "ara": (
        "آسف، ليس لديّ أي معلومات حول هذا الموضوع.",
        "لا يمكنني الإجابة عن هذا السؤال.",
        "المصادر لا تتناول هذا الأمر.",
        "لم أجد معلومات عن ذلك.",
        "هذه المعلومات غير متوفرة.",
        "لا أعرف ذلك.",
        "إذا كنت تقصد البيض، فليس لدي معلومات.",
    ),
    "zho": (
        "對不起，我沒有關於這個問題的資料。",
        "我不知道。",
        "知识库里没有提到这种药。",
        "很遗憾，无法回答您的问题。",
        "我没有相关资讯。",
        "暫無相關資訊。",
        "我不太清楚。",
        "对于这个问题没有相关信息。",
        "知识库里没有相关内容。",
        "我今天确实无法回答。",
        "我无法提供关于冷冻鸡蛋的信息。",
        "我不知道您问的问题的答案。",
    ),
}
ANSWERED = {
    "eng": (
        "No, you should not wait. I am sorry to hear that you are in pain.",
        "There is no evidence that cold weather causes colds.",
        "If you can't sleep, don't have coffee. You don't have to worry.",
        "I don't have to tell you that washing hands helps.",
        "We can't say it often enough: wash your hands.",
        "I can not only help you, I can tell you how: drink water.",
        "I don't know your age, but adults need 8 hours.",
        "If I don't know the answer, I say so.",
        "Rest unless we have no information on you.",
        "",
    ),
    "spa": (
        "No, no debe esperar. Lamento que se sienta mal.",
        "No hay pruebas de que el frío cause resfriados.",
        "Si no puede dormir, no tome café.",
        "No puedo dejar de decirle que beba agua.",
        "No hay información que indique riesgo.",
        "Si no tengo datos de su edad, dos vasos.",
        "No sé si fuma, pero beba agua.",
        "No tengo datos de su edad, pero beba agua.",
    ),
    "ara": (
        "لا، لا تنتظر. يؤسفني أنك متعب.",
        "لا يوجد دواء يشفي الزكام.",
        "إن لم تستطع النوم فلا تشرب القهوة.",
        "إذا لم أجد معلومات فسأخبرك، اشرب الماء.",
        "لا أعرف عمرك، لكن اشرب الماء.",
    ),
    "zho": (
        "不要等。很抱歉听到您不舒服。",
        "没有证据表明寒冷会引起感冒。",
        "如果您睡不着，请不要喝咖啡。",
        "如果您无法提供母乳，可以用配方奶。",
        "不能提供母乳时，可以用配方奶。",
        "疫苗没有与自闭症有关的资料支持。",
        "如果我没有相关信息，您可以问医生。",
        "我不知道您的年龄，但成人需要八小时睡眠。",
        "医生无法为所有人提供答案。",
        "我们的身体没有储存这种信息。",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_half_of_a_surrogate_pair_is_a_character_like_others(language: str) -> None:
    refusal = REFUSED[language][-1]
    assert is_refusal(f"\ud800 {refusal}", language)
    assert LexicalSupport(language).statistics("好\ud800 好", ["好"]).tolist()[2] == 1


# Sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Drink 2.5 litres. Rest!", ["Drink 2.5 litres.", "Rest!"]),
        ('He said "Rest." Then he left', ['He said "Rest."', "Then he left"]),
        ("See who.int for more... Really?!", ["See who.int for more...", "Really?!"]),
        ("请多喝水。今天喝了吗？很好！", ["请多喝水。", "今天喝了吗？", "很好！"]),
        ("هل تشرب الماء؟ اشرب الآن، من فضلك.", ["هل تشرب الماء؟", "اشرب الآن، من فضلك."]),
        ("¿Agua? ¡Sí! Beba", ["¿Agua?", "¡Sí!", "Beba"]),
        ("1. Drink\n2. Rest\n***\n", ["Drink", "Rest"]),
        ("", []),
        (" ... ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


# Refusals


@pytest.mark.parametrize("row", REFUSAL_PATTERNS, ids=lambda row: f"{row.language}-{row.name}")
def test_every_row_finds_its_examples(row: Any) -> None:
    assert row.examples
    for example in row.examples:
        assert find_refusal(example, row.language) is row


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_are_told_from_answers(language: str) -> None:
    assert [text for text in REFUSED[language] if not is_refusal(text, language)] == []
    assert [text for text in ANSWERED[language] if is_refusal(text, language)] == []
    assert is_refusal(REFUSALS[language], language)
    assert not is_refusal(SMALL_TALK[language], language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_and_support_on_the_sample(built_texts: Path, language: str) -> None:
    """What the docstrings say: all OOK answers refuse, no other does, 13 of 14 grounded answers have support."""
    data = BuiltData(DataLocation(str(built_texts)))
    snippets = data.rows(f"snippets_{language}", "corpus")
    contents = {row["snippet_id"]: f"{row['title']}: {row['content']}" for row in snippets}
    rows = [row for split in SPLITS for row in data.rows(f"system_turns_{language}", split)]
    refused = [row for row in rows if is_refusal(row["text"], language)]
    assert refused == [row for row in rows if row["out_of_knowledge"]]
    assert len(refused) == 3
    metric, grounded = LexicalSupport(language), [row for row in rows if row["gold_snippet_ids"]]
    own = sum(metric.statistics(row["text"], [contents[one] for one in row["gold_snippet_ids"]]) for row in grounded)
    assert own[2:].tolist() == [14, 13]
    other = [contents[one] for one in grounded[0]["gold_snippet_ids"]]
    assert sum(metric.statistics(row["text"], other)[3] for row in grounded[2:]) <= 1


def test_refusal_rates() -> None:
    metric = Refusals("eng")
    turns = [
        ("I have no information on that.", True, False),
        ("Yes.", True, False),
        ("I don't know.", False, True),
        *[("Drink water.", False, True)] * 3,
        ("I don't know.", False, False),
    ]
    sums = sum(metric.statistics(text, out_of_knowledge=ook, is_grounded=gold) for text, ook, gold in turns)
    assert isinstance(sums, np.ndarray)
    assert sums.tolist() == [2, 1, 4, 1]
    assert metric.values_of("refusal_rate")(sums) == 50
    assert metric.values_of("false_refusal_rate")(sums) == 25
    assert np.isnan(metric.values_of("refusal_rate")(np.array([0.0, 0, 1, 0])))
    with pytest.raises(ValueError, match="not out of knowledge"):
        metric.statistics("", out_of_knowledge=True, is_grounded=True)


# Support


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        ("Drink water.", [1, 1, 1, 1]),
        ("Drink water. Eat apples.", [2, 1, 1, 0]),
        ("Drink cold milk.", [1, 0, 1, 0]),
        ("Drinks, the WATER!", [1, 1, 1, 1]),
        ("Yes, you may.", [0, 0, 1, 0]),
        ("", [0, 0, 1, 0]),
    ],
)
def test_support_counts_sentences_with_covered_content_words(answer: str, counts: list[int]) -> None:
    assert LexicalSupport("eng").statistics(answer, ["Drink two litres of water a day."]).tolist() == counts


def test_the_threshold_is_a_share_of_content_words() -> None:
    snippet = ["Drink two litres of water a day."]
    assert LexicalSupport("eng", threshold=1 / 3).statistics("Drink cold milk.", snippet)[1] == 1
    assert LexicalSupport("eng", threshold=1).statistics("Drink cold water.", snippet)[1] == 0
    assert "|threshold:0.5|" in str(LexicalSupport("eng").signature())
    with pytest.raises(ValueError, match="threshold"):
        LexicalSupport("eng", threshold=0)


def test_no_snippets_support_nothing() -> None:
    assert LexicalSupport("eng").statistics("Drink water.", []).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("language", "text", "same"),
    [
        ("eng", "The fridges", "fridge"),
        ("spa", "Guarde los huevos", "guardar huevo"),
        ("ara", "في الثَّلاجة", "ثلاجة"),
        ("zho", "請放進冰箱。", "放进冰箱"),
    ],
)
def test_content_words_ignore_form(language: str, text: str, same: str) -> None:
    assert content_words(text, language) == content_words(same, language) != frozenset()
