trackway validate "$DATA/bench/run" --json=path,format,verdict,events
