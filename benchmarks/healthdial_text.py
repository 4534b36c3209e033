"""Invented sentences in the four languages of HealthDial, long enough for a recording of given length."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Language:
    """One language of a generated release.

    Attributes:
        folder: Folder in the release, also the language's English name in lower case.
        code: The release's own code, in ``language`` values and task ids.
        iso: ISO 639-3 code.
        joiner: Between two words; empty for Chinese, whose units are characters.
        stop: Full stop.
        question: Question mark.
        units_per_second: Words (Chinese: characters) spoken in a second.
        varieties: What speakers give as primary language.
        countries: What they give as country, one for each variety.
        cities: Where they come from, one for each variety.
        topics: Headings of pages, the same in all languages.
        titles: Headings of panels, the same in all languages.
        clauses: Pieces that sentences are made of.
    """

    folder: str
    code: str
    iso: str
    joiner: str
    stop: str
    question: str
    units_per_second: float
    varieties: tuple[str, ...]
    countries: tuple[str, ...]
    cities: tuple[str, ...]
    topics: tuple[str, ...]
    titles: tuple[str, ...]
    clauses: tuple[str, ...]

    def units(self, text: str) -> list[str]:
        """Return the words of a text, or its characters where nothing stands between words."""
        return text.split(self.joiner) if self.joiner else list(text)

    def sentence(self, random: Random, seconds: float, *, ends: str = "") -> str:
        """Return a sentence that takes about ``seconds`` to say, closed by ``ends`` (by default a full stop)."""
        wanted = max(2, round(seconds * self.units_per_second))
        units: list[str] = []
        while len(units) < wanted:
            units += self.units(random.choice(self.clauses))
        text = self.joiner.join(units[:wanted])
        return text[0].upper() + text[1:] + (ends or self.stop)

    def as_recognised(self, sentence: str) -> str:
        """Return a sentence as a speech recogniser gives it: in lower case, without punctuation."""
        return sentence.strip(self.stop + self.question).lower()

    def seconds(self, text: str) -> float:
        """Return how long it takes to say a text."""
        return len(self.units(text)) / self.units_per_second


ENGLISH = Language(
    folder="english",
    code="ENG",
    iso="eng",
    joiner=" ",
    stop=".",
    question="?",
    units_per_second=2.6,
    varieties=("British English", "American English"),
    countries=("United Kingdom", "United States"),
    cities=("Leeds", "Tucson"),
    topics=("Cold hands", "Dry skin", "Stiff neck", "Poor sleep", "Sore feet", "Tired eyes", "Hiccups", "Sunburn"),
    titles=("Overview", "Signs", "Causes", "What helps", "When to ask", "Key facts", "At work", "For children"),
    clauses=(
        "I slept badly again",
        "my knee hurts after walking",
        "what should I eat at noon",
        "the cough comes back every evening",
        "a warm bath helps a little",
        "we walk to the lake",
        "my sister had it too",
        "how much water is enough",
        "it began last week",
        "the skin stays dry",
        "rest for some days",
        "please tell me more about this",
        "both feet feel cold in bed",
        "is there a simple exercise",
    ),
)
ARABIC = Language(
    folder="arabic",
    code="ARA",
    iso="ara",
    joiner=" ",
    stop=".",
    question="؟",
    units_per_second=2.2,
    varieties=("Moroccan Arabic", "Egyptian Arabic"),
    countries=("Morocco", "Egypt"),
    cities=("Meknes", "Aswan"),
    topics=(
        "برودة اليدين",
        "جفاف الجلد",
        "تصلب الرقبة",
        "قلة النوم",
        "وجع القدمين",
        "تعب العينين",
        "الفواق",
        "حروق الشمس",
    ),
    titles=("لمحة", "العلامات", "الأسباب", "ما يفيد", "متى نسأل", "حقائق", "في العمل", "للأطفال"),
    clauses=(
        "لم أنم جيدا أمس",
        "ركبتي تؤلمني بعد المشي",
        "ماذا آكل وقت الظهر",
        "السعال يعود كل مساء",
        "الحمام الدافئ يفيد قليلا",
        "نمشي إلى البحيرة",
        "أختي مرت بهذا أيضا",
        "كم يكفي من الماء",
        "بدأ ذلك الأسبوع الماضي",
        "الجلد يبقى جافا",
        "استرح بضعة أيام",
        "أخبرني المزيد من فضلك",
        "قدماي باردتان في السرير",
        "هل هناك تمرين بسيط",
    ),
)
CHINESE = Language(
    folder="chinese",
    code="CHN",
    iso="zho",
    joiner="",
    stop="。",
    question="？",
    units_per_second=4.2,
    varieties=("Mandarin Chinese", "Sichuan Mandarin"),
    countries=("China", "China"),
    cities=("Luoyang", "Mianyang"),
    topics=("手冷", "皮肤干", "脖子僵硬", "睡不好", "脚痛", "眼睛累", "打嗝", "晒伤"),
    titles=("概况", "表现", "原因", "有用的做法", "何时求助", "要点", "工作中", "儿童"),
    clauses=(
        "我昨晚又没睡好",
        "走路以后膝盖会痛",
        "中午应该吃什么",
        "每天晚上都会咳几声",
        "泡热水有一点用",
        "我们走到湖边",
        "我姐姐也有过",
        "喝多少水才够",
        "上周开始的",
        "皮肤一直很干",
        "先休息几天",
        "请再多说一些",
        "在床上脚还是冷",
        "有没有简单的动作",
    ),
)
SPANISH = Language(
    folder="spanish",
    code="ESP",
    iso="spa",
    joiner=" ",
    stop=".",
    question="?",
    units_per_second=2.6,
    varieties=("Mexican Spanish", "Castilian Spanish"),
    countries=("Mexico", "Spain"),
    cities=("Tepic", "Teruel"),
    topics=(
        "Manos frías",
        "Piel seca",
        "Cuello rígido",
        "Sueño escaso",
        "Pies doloridos",
        "Ojos cansados",
        "Hipo",
        "Quemadura de sol",
    ),
    titles=("Resumen", "Señales", "Causas", "Qué ayuda", "Cuándo preguntar", "Datos", "En el trabajo", "Para niños"),
    clauses=(
        "anoche dormí mal otra vez",
        "me duele la rodilla al caminar",
        "qué debería comer al mediodía",
        "la tos vuelve cada noche",
        "un baño tibio ayuda un poco",
        "caminamos hasta el lago",
        "mi hermana también lo tuvo",
        "cuánta agua es suficiente",
        "empezó la semana pasada",
        "la piel sigue seca",
        "descanse unos días",
        "cuénteme algo más por favor",
        "tengo los pies fríos en la cama",
        "hay algún ejercicio sencillo",
    ),
)
LANGUAGES: dict[str, Language] = {one.folder: one for one in (ENGLISH, ARABIC, CHINESE, SPANISH)}
"""The four languages by folder."""
