"""Makes the golden store of the present schema: `python -m tests.golden_store FOLDER`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from membound import AgentContext, MemoryDraft, MemoryStore

if TYPE_CHECKING:
    from membound.fields import Scope

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
WORKSPACE = "/srv/golden"
WORDS = {
    "en": ("Deploys run from the main branch only", "Ana prefers tabs over spaces"),
    "de": ("Die Prüfung läuft jede Nacht um drei", "Straßenlärm stört die Aufnahme"),
    "zh": ("部署之前先运行数据库迁移", "用户喜欢简短的回答"),
    "ja": ("テストは毎晩実行されます", "会議は火曜日の朝です"),
    "ko": ("배포는 금요일에 하지 않습니다", "회의록은 위키에 남깁니다"),
    "ru": ("Сервер перезапускается по воскресеньям", "Резервные копии лежат на диске"),
}


def drafts() -> list[MemoryDraft]:
    """Records of several languages in every scope, with tags, dates, an agent and directives."""
    scopes: tuple[Scope, ...] = ("workspace", "project")
    made = [
        MemoryDraft(
            text, id=f"{language}-{number}", tags=[language], scope=scope, workspace=WORKSPACE
        )
        for language, texts in WORDS.items()
        for number, (text, scope) in enumerate(zip(texts, scopes, strict=True))
    ]
    return [
        *made,
        MemoryDraft("Always answer in English", id="rule-1", scope="user", authority="directive"),
        MemoryDraft("Never push to main", id="rule-2", workspace=WORKSPACE, authority="directive"),
        MemoryDraft("The trial ends soon", id="ends", scope="user", ttl=timedelta(days=9)),
        MemoryDraft(
            "The office moves", id="later", scope="user", valid_from=NOW.replace(year=2027)
        ),
        MemoryDraft("Kept but not recalled", id="off", scope="user", disabled=True),
        MemoryDraft(
            "The builder uses ninja",
            id="agent",
            scope="user",
            agent_context=AgentContext(
                schema_version=1, agent_id="builder", source_conversation_id="c1"
            ),
        ),
        MemoryDraft("We deploy with fabric", id="chain-1", scope="user", type="decision"),
    ]


def make(folder: Path) -> None:
    """Fills a store, with a chain of successors, a tombstone and a revision."""
    with MemoryStore.open(folder, clock=lambda: NOW) as store:
        store.remember_many(drafts())
        store.remember("We deploy with ansible", id="chain-2", scope="user", supersedes="chain-1")
        store.remember("We deploy with helm", id="chain-3", scope="user", supersedes="chain-2")
        store.update("en-1", content="Ana prefers spaces over tabs")
        store.remember("Forgotten words", id="gone", scope="user")
        store.delete("gone")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
