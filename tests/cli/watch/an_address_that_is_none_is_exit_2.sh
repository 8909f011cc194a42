mkdir runs
trackway watch runs --listen somewhere:80
