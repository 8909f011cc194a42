trackway nothing 2>&-
