"""The doctor: what is wrong with a store, what was mended, and what to do about the rest.

for finding in examine("/srv/app/.membound", fix=True):
    print(finding.check, finding.severity, finding.what, finding.advice)
"""

from __future__ import annotations

from membound.doctor.finding import Check, Finding, Severity
from membound.doctor.visit import examine

__all__ = ["Check", "Finding", "Severity", "examine"]
