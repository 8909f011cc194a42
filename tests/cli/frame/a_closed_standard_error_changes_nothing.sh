trackway version --json=version 2>&-
