mkdir runs
trackway watch runs --once --json=evnets
