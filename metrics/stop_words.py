"""Function words of Arabic, Chinese, English and Spanish: what a sentence says nothing by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Raised whenever a list changes.
LISTS_VERSION = "1"

_ENGLISH = """
a about after again all also always am an and any are as at be because been before being both but by can can't
cannot could did didn't do does doesn't doing don't down during each either else ever every few for from further
get gets had has have haven't having he her here hers him his how however i i'd i'll i'm i've if in into is
isn't it it's its itself just let let's many may maybe me might more most much must my neither no nor not now of
off often on once one only or other our out over own perhaps please quite rather really same shall she should
shouldn't since so some sometimes still such than that that's the their them then there there's these they
they're this those though through to too under until up upon us usually very was wasn't we we're well were what
when where whether which while who whom whose why will with within without won't would yes yet you you'll you're
you've your yours yourself
"""
_SPANISH = """
a al algo algún alguna algunas alguno algunos ahora allí ante antes aquí así aún aunque bajo bastante bien cada
casi como cómo con cual cuál cuales cualquier cuando cuándo cuanto cuánto de del desde después donde dónde
durante e el él ella ellas ellos en entonces entre era eran eres es esa esas ese eso esos esta está están estar
estas este esto estos estoy fue fueron ha había han has hasta hay he incluso la las le les lo los luego más me
mejor mi mí mientras mis mucha muchas mucho muchos muy nada ni ningún ninguna no nos nosotros nuestra nuestro o
os otra otras otro otros para pero poco pocos por porque pueda pueden puede puedes puedo pues que qué quien
quién quizá quizás se sea sean según ser será si sí siempre sin sino sobre sólo solo son soy su sus también
tampoco tan tanto te tener tengo ti tiene tienen toda todas todavía todo todos tras tu tú tus u un una unas uno
unos usted ustedes va vez veces y ya yo
"""
# As `metrics.asr_normalization` writes them: no vowel marks, every alef bare.
_ARABIC = """
ا الا التي الذي الذين الى ام اما ان انا انت انه انها او اي ايضا اذا اذ اثناء اكثر الان بان بسبب بعد بعض بل بما
بها به بين بينما تكون تلك ثم جدا حتى حول حيث خلال دون ذلك ربما سوف عادة على عليك عليه عليها عن عند عندما غير فان
فقط في فيه فيها قبل قد كان كانت كل كلا كم كما كيف كي لا لان لدى لديك لذا لذلك لقد لك لكن لكل لم لماذا لن له لها
لو ليس ليست ما ماذا متى مثل مع من منذ منه منها مهما نحو نعم هذا هذه هل هم هما هنا هناك هو هي و وان وقد ولا ولكن
وهو وهي يا يكون يمكن يمكنك ينبغي يجب
"""
_CHINESE = """
的 了 和 与 或 或者 是 在 有 也 都 就 还 又 再 很 更 最 太 不 没 没有 别 要 会 能 能够 可 可以 可能 应 应该 应当
需要 必须 请 您 你 你们 我 我们 他 她 它 他们 它们 这 那 这个 那个 这些 那些 这样 那样 哪 哪个 哪些 什么 怎么
怎样 为什么 因为 所以 如果 但 但是 不过 而 而且 并 并且 以及 及 于 从 到 对 把 被 给 让 使 向 往 由 用 以 为
为了 之 其 其中 每 各 些 个 种 次 吗 呢 吧 啊 呀 哦 嗯 着 过 地 得 上 下 里 中 后 前 时 时候 内 外 一 一个 一些
一下 一样 一般 通常 常常 往往 只 只有 只要 仅 才 已 已经 正在 曾 将 当 等 等等 比 跟 同 同时 则 虽然 然后 先
即使 无论 除了 关于 根据 通过 由于 因此 此外 另外 好 好的 最好 多 少 来 去 做
"""

STOP_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "ara": frozenset(_ARABIC.split()),
        "zho": frozenset(_CHINESE.split()),
        "eng": frozenset(_ENGLISH.split()),
        "spa": frozenset(_SPANISH.split()),
    }
)
"""ISO 639-3 code -> function words, as `metrics.asr_normalization` writes them; own lists, closed classes only."""
