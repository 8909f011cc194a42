mkdir runs
trackway watch runs --allow-host 'a b'
