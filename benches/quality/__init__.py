"""How well words find: what the oracle of `foundation-v2` selects, measured on data sets."""
