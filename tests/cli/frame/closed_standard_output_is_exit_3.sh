trackway version >&-
