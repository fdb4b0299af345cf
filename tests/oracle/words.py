"""What says little in a query: stop words, weak characters, and what only marks a question."""

from __future__ import annotations

from pathlib import Path

import regex

DATA = Path(__file__).resolve().parents[2] / "rust" / "core" / "data"


def listed(file: str) -> list[str]:
    """Return the words of a list in its order; a line that begins with # is a remark."""
    lines = (DATA / file).read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def pattern(mark: str) -> str:
    """Match a mark where it stands, or at the end alone if it says so."""
    end = r"\Z" if mark.endswith("$") else ""
    return f"{regex.escape(mark.removesuffix('$'))}{end}"


STOP = frozenset(listed("stop_words.txt"))
QUESTION = regex.compile("|".join(map(pattern, listed("questions.txt"))))

FUNCTION = frozenset(
    "的了在是我你他她它们这那有和与就不也都而及或吗呢吧啊个为被把给对从到过着会能要可以么什哪谁几多少何如所之其您很并等由于但且因"
    "於個們這對從過給會還还麼甚誰幾嗎裡里來来著與為並"
)
BARE = frozenset("的了是我你他她它们們这這那有不也吗嗎呢吧啊么麼什哪谁誰着著就而但且")
ANSWERS = frozenset("好行嗯哦네예응")
PARTICLES = frozenset("은는이가을를에의로와과도")
HIRAGANA = regex.compile(r"\p{Hiragana}")


def weak_characters(unit: str) -> int:
    """Count what says little in a pair: Hiragana and Chinese function characters, 0 to 2.

    A Hangul pair that ends in a particle has one at least; a weak character alone counts as two,
    and so does one that is an answer.
    """
    pair = unit[1:]
    if pair in ANSWERS:
        return 2
    weak = sum(one in FUNCTION or bool(HIRAGANA.match(one)) for one in pair)
    if pair[-1] in PARTICLES:
        weak = max(weak, 1)
    return min(2, weak if len(pair) > 1 else 2 * weak)


def trigrams(word: str) -> frozenset[str]:
    """Return the windows of 3 by which a word may be matched, if not by itself.

    None of a word of up to 3 characters or with a digit: it is matched as it is or not at all.
    """
    if len(word) <= 3 or regex.search(r"\p{N}", word):
        return frozenset()
    return frozenset(word[at : at + 3] for at in range(len(word) - 2))
