"""Finds answers that say they don't know, by a table of patterns for Arabic, Chinese, English and Spanish."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics.asr_normalization import LANGUAGES, fold_case, normalize
from metrics.sentences import sentences

# Raised whenever a change of the table can change what it finds.
TABLE_VERSION = "2"

_NOT_EN = "(?:don't|do not|doesn't|does not|didn't|did not|can't|cannot|can not|couldn't|could not)"
_SOURCES_EN = "(?:source|snippet|document|knowledge base|material|passage|text|context|information|knowledge|record)s?"
_KNOWN_EN = "(?:information|info|details?|knowledge|answers?|sources?|materials?|snippets?|data)"
_SOURCES_ES = (
    "(?:fuentes?|fragmentos?|documentos?|textos?|bases? de (?:datos|conocimientos?)|información|materiales|contexto)"
)
_KNOWN_ES = "(?:información|informaciones|datos|nada|respuestas?|conocimientos?|detalles|fuentes?)"
_SOURCES_AR = (
    "(?:مصادري|مصادرنا|المصادر|مصدري|المقتطفات|المقاطع|الوثائق|النصوص|المواد|معلوماتي|المعلومات|قاعدة المعرفة)"
)
_KNOWN_AR = "(?:معلومات|معلومة|اجابة|اجابات|جواب|بيانات|معرفة|تفاصيل|مصادر|شيء|علم|فكرة)"
_SOURCES_ZH = "(?:资料|来源|知识库|片段|文档|文件|材料|信息|数据库|内容|上下文)"
_KNOWN_ZH = "(?:信息|资讯|资料|内容|答案|数据|知识|记录|来源)(?!能?(?:够|支持|表明|显示|证明|说明|指出))"
# Who has nothing is the assistant: it is named, or the clause begins without anyone.
_I_ZH = "我(?:们(?!的)|(?!们|的))"
_WE_ZH = (
    rf"(?:(?:{_I_ZH}|本人|助手|系统|{_SOURCES_ZH})[^您你他她]{{0,6}}|^|抱歉|对不起|遗憾|这里|这方面|问题"
    "|^(?:对于?|关于|有关|就).{1,12})(?:也|还|目前|暂时|现在|恐怕|真的|并|都|实在|确实|中|里){0,3}"
)
_NOT_OF_YOU_ZH = "(?!(?:您|你)的?(?!的?问))"
# A clause that sets a condition says nothing about what is.
_CONDITIONS = {
    "eng": re.compile(r"\b(?:if|unless)\b[^,;:]*[,;:]?"),
    "spa": re.compile(r"\b(?:si|a menos que)\b[^,;:]*[,;:]?"),
    "ara": re.compile(r"\b[وف]?(?:إذا|اذا|لو|في حال)\b[^،؛,;:]*[،؛,;:]?"),
    "zho": re.compile("(?:如果|若(?!干)|要是|假如|万一|萬一|即使|除非).*"),
}


@dataclass(frozen=True)
class RefusalPattern:
    """A row of the table.

    Attributes:
        language: ISO 639-3 code.
        name: What the pattern means.
        pattern: Searched for in each sentence after normalisation.
        examples: Sentences that it finds, made up.
    """

    language: str
    name: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]


def _row(language: str, name: str, pattern: str, *examples: str) -> RefusalPattern:
    return RefusalPattern(language, name, re.compile(pattern), examples)


def _words(most: int) -> str:
    """Up to so many words, each with the space before it."""
    return rf"(?: [\w']+){{0,{most}}}"


REFUSAL_PATTERNS: tuple[RefusalPattern, ...] = (
    _row(
        "eng",
        "has nothing",
        rf"\b(?:i|we){_words(2)} (?:(?:have|found|find|see) (?:no|nothing|not enough|insufficient|too little)\b"
        rf"(?={_words(3)} {_KNOWN_EN}\b| (?:on|about|regarding)\b|$)|lack{_words(2)} {_KNOWN_EN}\b)",
        "I have no information about that.",
        "Sorry, we found nothing on this topic.",
        "I lack information on this.",
    ),
    _row(
        "eng",
        "can't say",
        rf"\b(?:i|we){_words(2)} {_NOT_EN}(?! (?:only|just|have to|need to)\b){_words(2)} "
        r"(?:(?:have|know)\b(?! your?\b| how old\b)|(?:find|answer|help|say|tell|provide|give|advise|offer)\b)"
        rf"(?! to\b|{_words(2)} (?:often|loudly|clearly) enough\b)"
        rf"|(?:\bnot|n't) something{_words(1)} (?:i|we) (?:know|can (?:help|answer|advise))\b",
        "I'm afraid I can't answer that.",
        "We do not have any details.",
        "That's not something I can help with.",
    ),
    _row(
        "eng",
        "unable",
        rf"\b(?:(?:i am|i'm|i was|we are|we're|we were){_words(2)} (?:unable|not able)"
        r"|(?:i wasn't|we aren't|we weren't) able|(?:i|we)(?:'ve| have)(?: not|n't)? been (?:unable|able)) to "
        r"(?:answer|help|say|tell|provide|give|find|advise)\b",
        "I am unable to help with this.",
        "I wasn't able to find anything.",
    ),
    _row(
        "eng",
        "sources say nothing",
        rf"\b{_SOURCES_EN}{_words(4)} (?:(?:says?|contains?|mentions?|includes?|covers?|provides?|has|have|gives?) "
        rf"(?:no|nothing)\b|{_NOT_EN}{_words(2)} "
        r"(?:say|contain|mention|include|cover|answer|address|provide|tell|discuss)\b)"
        rf"|\b(?:my|our) {_SOURCES_EN} lacks?\b",
        "My sources say nothing about it.",
        "The snippets do not mention this.",
    ),
    _row(
        "eng",
        "nothing there",
        rf"\b(?:there is|there's) (?:no|not enough){_words(2)} (?:information|info|details) "
        r"(?:on|about|available|in)\b"
        r"|\bno (?:information|info|details?|answers?) (?:is |are |was |were )?(?:available|provided|given|found)\b"
        rf"|\b(?:there is|there's) nothing{_words(4)} in (?:my|our|the){_words(1)} "
        r"(?:sources?|snippets?|documents?|knowledge base|passages?)\b"
        rf"|\bnot (?:covered|mentioned|addressed|included|found|available) in{_words(3)} {_SOURCES_EN}\b"
        rf"|\b(?:outside|beyond|out of){_words(2)} (?:scope|knowledge|expertise)\b",
        "There is no information about this.",
        "No information was found.",
        "There is nothing in my knowledge base on that.",
        "This is not covered in my sources.",
        "That is beyond my knowledge.",
    ),
    _row(
        "spa",
        "has nothing",
        r"\bno (?:tengo|tenemos|dispongo|disponemos|cuento|contamos|encuentro|encontramos|encontré|poseo)\b"
        rf"{_words(4)} {_KNOWN_ES}\b(?! de (?:su|tu)s?\b)|\b(?:carezco de|carecemos de|no me constan?){_words(2)} "
        rf"{_KNOWN_ES}\b",
        "Lo siento, no tengo información sobre eso.",
        "No dispongo de datos.",
        "Carezco de información.",
    ),
    _row(
        "spa",
        "can't say",
        r"\bno (?:(?:le|te|les|os|lo|la) )?(?:puedo|podemos|podría|podríamos|sé|sabemos|sabría) "
        r"(?!dejar de |evitar |más que |menos que |sino )"
        r"(?:[\w']+ ){0,2}(?:responder|contestar|ayudar|decir|informar|ofrecer|proporcionar|aconsejar|dar)\w*"
        r"|\b(?:no lo (?:sé|sabemos)|lo desconozco|desconozco)\b|\bno lo se$"
        r"|\bno (?:sé|sabemos)(?=$| (?:qué|cuál|cómo|cuándo|cuánto|cuánta|dónde|nada|la respuesta|decirle)\b)",
        "Me temo que no puedo responderle.",
        "No lo sé.",
        "Lo siento, no sé.",
    ),
    _row(
        "spa",
        "sources say nothing",
        rf"\b{_SOURCES_ES}{_words(4)} no (?:[\w']+ )?"
        r"(?:dicen?|mencionan?|contienen?|incluyen?|tratan?|indican?|hablan?|cubren?|responden?|abordan?|ofrecen?|especifican?)\b",
        "Mis fuentes no dicen nada al respecto.",
    ),
    _row(
        "spa",
        "nothing there",
        r"\bno (?:hay|existe|se encuentra|se dispone de|aparece)(?: [\w']+)? información\b"
        r"(?! que (?:indi|sugi|confirm|demuest|respald|relacion|vincul|asoci|prueb|muest|apoy))"
        r"|\bfuera de mis? (?:conocimientos?|alcance|ámbito|fuentes|competencia)\b",
        "No hay información disponible.",
        "Eso está fuera de mi alcance.",
    ),
    _row(
        "ara",
        "has nothing",
        rf"\b[وف]?(?:لا|ليس|ليست|لم|ما){_words(2)} "
        r"(?:لدي|لدينا|عندي|عندنا|املك|نملك|امتلك|نمتلك|اجد|نجد|تتوفر|يتوفر|توجد|يوجد)"
        rf"{_words(3)} {_KNOWN_AR}\b|\b[وف]?لا (?:معلومات|علم|معرفة) (?:لدي|لدينا|عندي|لي)\b",
        "ليست لدي معلومات عن ذلك.",
        "لا توجد معلومات حول هذا الموضوع.",
        "لا معلومات لدي.",
    ),
    _row(
        "ara",
        "can't say",
        r"\b[وف]?(?:لا|لن|لم) (?:استطيع|نستطيع|استطع|يمكنني|يمكننا|اقدر|بوسعي)"
        rf"{_words(1)} (?:ال|ان )?(?:اجابة|اجابتك|اجيب|اجيبك|نجيب|رد|ارد|مساعدة|مساعدتك|اساعدك|افيدك|افادتك|"
        r"اقدم|تقديم|اعطائك|اخبرك)\b"
        r"|\b[وف]?لا (?:اعرف|اعلم|ادري)ه?ا?\b(?! (?:كم )?(?:عمرك|سنك|وزنك|طولك|حالتك|وضعك|ظروفك)\b)",
        "للأسف لا أستطيع الإجابة.",
        "لا يمكنني مساعدتك في هذا.",
        "لا أعرف.",
    ),
    _row(
        "ara",
        "sources say nothing",
        rf"\b[وف]?{_SOURCES_AR}{_words(3)} (?:لا|لم) "
        r"(?:تذكر|تتضمن|تحتوي|تحوي|تشمل|تقول|تتناول|تشير|تجيب|توضح|تتطرق|تغطي)\b",
        "مصادري لا تذكر شيئًا عن ذلك.",
    ),
    _row(
        "ara",
        "nothing there",
        r"\b(?:خارج|يتجاوز|تتجاوز)(?: نطاق| حدود)? (?:معرفتي|معلوماتي|اختصاصي|مصادري)\b"
        rf"|\b[وف]?(?:ال)?(?:معلومات|معلومة|اجابة|بيانات|تفاصيل){_words(3)} غير "
        r"(?:متوفرة|متوافرة|متاحة|موجودة)\b",
        "هذا خارج نطاق معرفتي.",
        "هذه المعلومات غير متوفرة.",
    ),
    _row(
        "zho",
        "has nothing",
        rf"{_I_ZH}.{{0,6}}(?:没|无|缺乏).{{0,14}}{_KNOWN_ZH}"
        rf"|{_WE_ZH}(?:(?:没有|暂无|无|缺乏)(?:任何)?(?:关于|有关|与|相关|这方面)"
        rf"|找不到|没找到|未找到|没有找到|查不到).{{0,14}}{_KNOWN_ZH}",
        "我没有这方面的信息。",
        "没有关于此事的资料。",
        "找不到相关内容。",
        "暂无相关信息。",
    ),
    _row(
        "zho",
        "can't say",
        rf"{_WE_ZH}(?:无法|不能|没法|没办法)(?:(?:就|对|向|给|为).{{1,8}}?)?(?:回答|解答|答复|作答|告诉您|告诉你"
        rf"|(?:提供|给出).{{0,10}}(?:建议|意见|帮助|{_KNOWN_ZH}))(?!.*(?:时|时候|的话)$)"
        rf"|我们?(?:对{_NOT_OF_YOU_ZH}.{{0,8}})?(?:也|还|并|真的|实在)?不(?:太|是很|大)?(?:知道|清楚|了解){_NOT_OF_YOU_ZH}",
        "很抱歉，我无法回答。",
        "我不清楚。",
        "我不太清楚。",
        "我无法提供这方面的建议。",
    ),
    _row(
        "zho",
        "sources say nothing",
        rf"{_SOURCES_ZH}(?:中|里|里面)?(?:都|也|并)?(?:没有|未|并未|没|不)(?:有)?(?:提到|提及|包含|包括|涉及|涵盖|说明|记载|提供|介绍|谈到|讲到)",
        "资料中没有提到这一点。",
    ),
    _row("zho", "nothing there", r"超出(?:了)?我们?的?(?:知识|能力|了解|资料)", "这超出了我的知识范围。"),
)


def find_refusal(answer: str, language: str) -> RefusalPattern | None:
    """Finds the first sentence that says there is no answer.

    A lexical measure: it knows the wordings of the table. Each sentence (`metrics.sentences`) is read in lower case,
    Arabic without vowel marks and with every alef bare, Chinese in simplified characters; English and Spanish
    punctuation is left out. A refusal followed by advice, or by an answer after all, is a refusal. Regret alone
    ("I'm sorry to hear that"), a "no" to a question and advice against something are none; nor is what is said under a
    condition ("If I don't know ..."), or of the user ("I don't know your age, but ...").

    The rows were written with the 12 OOK answers of the bundled sample in view: it finds these 12, and none among its
    56 grounded answers and 44 other turns. On texts of others its recall is not known; a report should show some
    answers that it found, and some that it did not.

    Args:
        answer: What the assistant says; may be empty.
        language: ISO 639-3 code: ``ara``, ``zho``, ``eng`` or ``spa``.

    Returns:
        The table's first row that matches in the earliest such sentence, or None.

    Raises:
        TypeError: If the answer is not a str.
        ValueError: If the language is unknown.
    """
    if not isinstance(answer, str):
        raise TypeError(f"the answer is a {type(answer).__name__}, not a str; read missing answers as ''")
    if language not in LANGUAGES:
        raise ValueError(f"no refusals are known in language {language!r}; choose one of {', '.join(LANGUAGES)}")
    rows = [row for row in REFUSAL_PATTERNS if row.language == language]
    for sentence in sentences(answer):
        # Chinese commas bound the patterns, so each clause is normalised on its own.
        clauses = re.split("[，,、;:：]", sentence) if language == "zho" else [sentence]
        for clause in clauses:
            text = normalize(_CONDITIONS[language].sub(" ", fold_case(clause)), "normalized", language)
            for row in rows:
                if row.pattern.search(text):
                    return row
    return None


def is_refusal(answer: str, language: str) -> bool:
    """Returns whether an answer says that there is no answer; see `find_refusal`."""
    return find_refusal(answer, language) is not None
