trackway watch </dev/null
