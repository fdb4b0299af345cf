"""Units, which the second version gives: by example, and the oracle on text of every script."""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import membound
from membound import MemoryStore, matched_words
from tests.adapters import ask_records
from tests.conformance import whole
from tests.oracle import tokens_v2 as oracle
from tests.strategies import NOW
from tests.test_tokens import known, text

if TYPE_CHECKING:
    from pathlib import Path


def units(words: str, limit: int = 2**40) -> tuple[str, ...]:
    return membound.search_tokens(words, limit=limit, tokenizer="v2").tokens


def assert_as_the_oracle(words: str, limit: int = 2**40) -> None:
    found = membound.search_tokens(words, limit=limit, tokenizer="v2")
    readable = words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert (found.tokens, found.truncated) == oracle.search_tokens(readable, limit)


def pieces() -> st.SearchStrategy[str]:
    """What the rules are about: joints, capitals, digits, marks, unspaced writings."""
    joints = [*"_.-/\\:@#+~' ", "::", "++", "C++", "F#", "getURLParts", "PDFs", "İstanbul", "Σς"]
    mixed = ["utf8", "MD5Hash", "PDFs2", "x\u03022", "5\u0302x", "٣", "²", "Ⅷ"]
    marks = "e\u0301t\u0301 \ufe0f \u200b ﾃﾞ हिन्दी தமிழ் שָׁלוֹם مُحَمَّد"
    unspaced = "กำ ไทย ភាសា မြန်မာ ລາວ 々〇 ー〆 ㄅ 𠮷 ㄱㄴ"
    return st.sampled_from([*joints, *mixed, *marks.split(), *unspaced.split(), "sAb09"])


def told() -> st.SearchStrategy[str]:
    """What dates are made of, and what stands beside them."""
    names = ["May", "may", "MARCH", "Sept", "sep", "June", "december", "Aug", "Octo", "apr\u0131l"]
    signs = [
        *".,-/年月日号號년월일_x㍘㏧㋄ \u3000\n\x1c\u0301\u200b",
        "st",
        "nd",
        "rd",
        "th",
        "TH",
        "of",
    ]
    numbers = [*"0158٨５", "08", "12", "13", "30", "31", "32", "2023", "0000", "20231"]
    dates = ["2023-05-08", "2023/5/8", "5月8日", "2023年 5月", "8th of May 2023", "May 8, 2023"]
    part = st.sampled_from([*names, *signs, " ", " ", *numbers, *dates]) | st.dates().map(str)
    return st.lists(part, max_size=14).map("".join)


@given(st.lists(pieces() | text() | told(), max_size=14).map("".join), st.integers(0, 600))
def test_same_units_as_the_oracle(words: str, limit: int) -> None:
    assert_as_the_oracle(words, limit)


@given(told())
@example("2023-13-08 May")
@example("x2023-05-08 x5月8日 5月8日x")
@example("May 8. 20231")
@example("8 May.x 8 Mayx 8 May5")
@example("2023年5月8 2023年13月8日")
def test_same_dates_as_the_oracle(words: str) -> None:
    assert_as_the_oracle(words)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("use snake_case", "wuse wsnake_case wsnake wcase"),
        ("getURL", "wgeturl wget wurl"),
        ("os.path v3.11", "wos.path wos wpath wv3.11 wv3 wv w3 w11"),
        ("src/a.rs std::io", "wsrc/a.rs wsrc wa wrs wstd::io wstd wio"),
        ("C++, F# and C", "wc++ wc wf# wf wand"),
        ("PDFs PDFs2", "wpdfs wpdfs2 w2"),
        ("utf8 MD5Hash x86_64", "wutf8 wutf w8 wmd5hash wmd w5 whash wx86_64 wx86 wx w86 w64"),
        ("٣م q\u0302R 5\u0302x", "w٣م w٣ wم wq\u0302r wq\u0302 wr w5\u0302x w5\u0302 wx"),
        ("İI ΣΑΣ", "wii wσασ"),
        ("Port 数据库 tree", "wport c数据 c据库 wtree"),
        ("人々は𠮷野家", "c人々 c々は cは𠮷 c𠮷野 c野家"),
        ("ﾃﾞｰﾀ ㄅㄆ", "cデー cータ cㄅㄆ"),
        ("ไทยครับ", "cไท cทย cยค cครั cรับ"),
        ("हिन्दी में", "wहिन्दी wमें"),
        ("مُحَمَّد محمد", "wمحمد"),
        ("שָׁלוֹם", "wשלום"),
        ("ti\u1ebfng Vi\u1ec7t", "wti\u1ebfng wvi\u1ec7t"),
        ("co\u00adop\u200bs", "wcoops"),
    ],
)
def test_the_second_version_by_example(text: str, tokens: str) -> None:
    assert membound.search_tokens(text, tokenizer="v2").tokens == tuple(tokens.split())


@pytest.mark.parametrize(
    "text",
    [
        *("2023-05-08", "2023/5/8", "2023.5.08", "May 8, 2023", "MAY 8TH 2023", "may. 8 2023"),
        *(
            "8 May 2023",
            "8th of May, 2023",
            "08 may. 2023",
            "２０２３年５月８日",
            "2023 年 5 月 8 号",
        ),
        *("2023年5月8號", "2023년 5월 8일", "2023-05-08."),
    ],
)
def test_a_date_gives_the_same_units_in_every_form(text: str) -> None:
    assert units(f"on {text}!") == ("won", "w2023", "m5", "d5-8")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("5月8日", "m5 d5-8"),
        ("8th of May", "m5 d5-8"),
        ("2023年5月", "w2023 m5"),
        ("Sept., 2023", "w2023 m9"),
        ("june", "m6"),
        ("march may, sep", "wmarch wmay wsep"),
        ("2023-13-08", "w2023-13-08 w2023 w13 w08"),
        ("May 32", "wmay w32"),
        ("0月8日", "w0 c月 w8 c日"),
        ("log.2023-05-08.txt", "wlog w2023 m5 d5-8 wtxt"),
        ("mayor 8, 18:30", "wmayor w8 w18:30 w18 w30"),
    ],
)
def test_dates_by_example(text: str, tokens: str) -> None:
    assert units(text) == tuple(tokens.split())


@given(text() | told(), text() | told())
def test_text_order_is_kept_between_writings(before: str, behind: str) -> None:
    """No writing is pushed out of a budget by another: each unit is at its first place."""
    every = units(f"{before} | {behind}")
    assert every == tuple(dict.fromkeys(units(before) + units(behind)))
    for limit in (0, 1, 3, len(every)):
        cut = membound.search_tokens(f"{before} | {behind}", limit=limit, tokenizer="v2")
        assert cut.tokens == every[:limit]
        assert cut.truncated == (limit < len(every))


@given(st.lists(pieces() | text() | told(), max_size=10).map("".join))
def test_forms_of_unicode_do_not_matter(words: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert units(unicodedata.normalize(form, words)) == units(words)


@given(st.lists(pieces() | text() | told(), max_size=10).map("".join))
def test_no_mark_is_parted_from_its_letter(words: str) -> None:
    for unit in units(words):
        shape = r"c(?:\P{M}\p{M}*){1,2}" if unit[0] == "c" else r"w[^\p{M}\s]\S*|m\d+|d\d+-\d+"
        assert regex.fullmatch(shape, unit), unit


def test_every_assigned_character_alone_inside_words_and_beside_dates() -> None:
    every = [one for one in map(chr, range(sys.maxunicode + 1)) if known(one)]
    for start in range(0, len(every), 500):
        batch = every[start : start + 500]
        assert_as_the_oracle("".join(f" {one} ab{one}Cd {one}8 May{one}{one}2" for one in batch))


@pytest.mark.parametrize(
    ("observed", "query"),
    [
        ("2023-05-08T23:59:59.999Z", "8 May 2023"),
        ("1969-12-31T00:00:00.000Z", "1969年12月31日"),
        ("2024-02-29T00:00:00Z", "29 Feb 2024"),
        ("0001-01-01T00:00:00.000Z", "0001-01-01"),
    ],
)
def test_a_record_is_found_by_its_day(observed: str, query: str) -> None:
    content = " ".join(f"{number:04}" for number in range(5_000, 8_000))
    record = whole({"content": content, "observedAt": observed})
    request = {"query": query, "now": NOW, "tokenizer": "v2"}
    (ranking,) = ask_records([record], request)["rankings"]
    assert ranking["features"]["lexical"] == 1


def test_budgets_of_a_query_and_a_record(tmp_path: Path) -> None:
    words = [f"{number:04}" for number in range(5_000, 8_000)]
    with MemoryStore.open(tmp_path, tokenizer="v2") as store:
        record = store.remember(" ".join(words), scope="user")
        trace = store.retrieve(" ".join(words), relevance_mode="foundation-v1").trace
    assert (trace.query_token_count, trace.query_tokens_truncated) == (255, True)
    assert trace.rankings[0].features.lexical == 1
    room = 2_048 - len(units(record.created_at[:10]))
    found = matched_words(" ".join(words[room - 1 : room + 1]), record, tokenizer="v2")
    assert (found.matched, found.missed) == ((words[room - 1],), ())
