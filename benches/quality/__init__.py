"""How well words find: the scoring of the coming mode `foundation-v2`, measured on data sets."""
