"""What the verbs of a workspace give back, by the verbs that do."""
