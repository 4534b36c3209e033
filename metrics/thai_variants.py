"""Spellings of one dialect word that no rule of sound relates, or that are Central words too: listed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# A line is one word; its first spelling stands for all. Particles have no fixed tone, short words no fixed length.
# Only spellings that are known from the dialects' spelling guides and wild text; a lexicon's variants are its own.
_LISTED = {
    "central": """
        สิ ซิ
        มั้ย ไม๊
    """,
    "isan": """
        บ่ บ่อ บอ บ้อ เบาะ บ๊อ
        เด้อ เด๊อ เด่อ เด๊อะ
        เด้ เด๋ เดะ เด้ะ
        ติ ติ้ ติ๊ ตี้ ตี
        ตั่ว ตั้ว ตั้วะ ตัว
        ดุ ดุ้ ดู๋
        แหน่ แน่ แน
        ล่ะ หละ
        เนาะ เน๊าะ
        นี้ นิ
        ข้อย ข่อย
        แม่น แมน
        เทื่อ เทือ
        เพิ่น เพิน เผิ่น
        หม่อง ม่อง หม้อง มอง
        คัน คั่น
        ก่อน กอน
        ให้ ไห่
        หล่า ล่า
        เฮ็ด เฮด
        ถืก ถึก
        แซ่บ แซบ
        เบิ่ง เบิ้ง
        พู้น พุ้น
        บาดนี้ บ่าดหนิ
        ซ่อย ส่อย ซอย
        จั่งใด จั่งใด๋ จังใด จังใด๋ จังได จังได๋ จั่งได จั่งได๋
        จั่งซี้ จังซี่
    """,
    "lanna": """
        บ่ บ่อ บอ
        บะ บ่ะ บ่า
        หื้อ ฮื้อ หือ ฮือ ฮื้
        ก่อ ก๊อ กอ ก่ ก้อ
        กา ก๋า ก้า
        เน้อ เน่อ เนอ
        เต๊อะ เต๊อ เต้อะ
        เจ้า จ้าว
        เตื่อ เตื้อ เตือ
        พ่อง ผ่อง พ้อง
        ใจ้ ใจ๊
        อุ๊ย อุ้ย
        ปี๋ ปี
        หล่า ล่า
        หั้น ฮั้น
        เป๋น เปน เป็น
        ถืก ถึก
        นี้ นิ
        เยียะ เยี๊ยะ
    """,
    "dambro": """
        ม่าย ม้าย หม้าย มั้ย
        พรือ พรื่อ พรื้อ ผรื่อ
        ไหร ไหร่ หรัย ไอไหร อะไหร
        อี้ อิ อี อิ้
        หมัน มัน
        ถ้า ท่า
        หรอย หร่อย
        หล่าว หลาว หล้าว
        โหม โหม๋ โม่
        โหย๋ โหย่
        เหอ เห้อ
        ไซร ไซ ไซ่ ไส
        นิ หนิ
        ตะ ต้า ต๊ะ
        ฉาน ฉ้าน
        แรก แร็ก แหรก
        ขี้หก ขี้ฮก
        จังหู จังหู้ จังฮู้ จังฮู
    """,
}


def _first_spellings(block: str) -> Mapping[str, str]:
    words = [line.split() for line in block.strip().splitlines()]
    return MappingProxyType({spelling: word[0] for word in words for spelling in word})


LISTED_SPELLINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {dialect: _first_spellings(block) for dialect, block in _LISTED.items()}
)
"""By dialect: each listed spelling and the one that stands for its word."""

# Reduced first syllables of longer words: the vowel is too short for a writer to tell its length or tone.
REDUCED_FIRST_SYLLABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "central": MappingProxyType({}),
        "isan": MappingProxyType({"ขะ": "กะ", "อิ": "อี", "อี่": "อี", "อิ่": "อี"}),
        "lanna": MappingProxyType({"ขะ": "กะ", "บ่ะ": "บะ", "บ่า": "บะ", "หมะ": "บะ", "ม่ะ": "บะ"}),
        "dambro": MappingProxyType({"ขะ": "กะ", "อิ": "อี", "อี้": "อี", "อิ้": "อี"}),
    }
)
"""By dialect: a first syllable of a word of several, and the one it counts as (อิหยัง and อีหยัง)."""
