"""Real text for benches: docstrings of the standard library, and Chinese over a fixed vocabulary.

The same call gives the same texts on the same Python; nothing is imported, only parsed.
"""

from __future__ import annotations

import ast
import sysconfig
from functools import cache
from pathlib import Path
from random import Random

_HAN = "数据库服务器网络时间项目会议决定用户部署测试接口缓存配置日志备份权限版本任务文档模型"


@cache
def _docstrings() -> tuple[str, ...]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    found: dict[str, None] = {}
    for path in sorted(folder.glob("*.py")) + sorted(folder.glob("*/*.py")):
        if "site-packages" in path.parts or "test" in path.parts:
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
                if len(text) >= 20:
                    found[text[:400]] = None
    return tuple(found)


def _chinese(random: Random) -> str:
    return "，".join("".join(random.choices(_HAN, k=8)) for _ in range(3)) + "。"


@cache
def texts(count: int) -> tuple[str, ...]:
    """Give distinct texts, four of five English; beyond all docstrings they are mixed anew."""
    random = Random(20260701)
    english = _docstrings()
    made = []
    for number in range(count):
        if number % 5 == 4:
            made.append(f"{_chinese(random)} {number}")
        elif number < len(english):
            made.append(english[number])
        else:
            words = " ".join(random.choices(english, k=2)).split()
            made.append(f"{' '.join(random.sample(words, k=min(12, len(words))))} {number}")
    return tuple(made)


@cache
def questions(count: int, records: int) -> tuple[str, ...]:
    """Give questions of 5 to 12 words that each share most of them with some record."""
    random = Random(7)
    asked = []
    for text in random.choices(texts(records), k=count):
        words = text.split()
        size = min(len(words), random.randint(5, 12))
        start = random.randint(0, len(words) - size)
        asked.append(" ".join(words[start : start + size]))
    return tuple(asked)
