mkdir runs
trackway watch runs --json
