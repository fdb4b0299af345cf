"""Our recall beside what else one would take, over the same records and questions."""
