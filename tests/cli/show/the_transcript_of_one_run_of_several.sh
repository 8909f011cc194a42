trackway show "$DATA/inspect/log.json" --transcript --run 2 | head -4
trackway show "$DATA/inspect/log.json" --transcript | grep ====
trackway show "$DATA/inspect/log.json" --transcript --run 9 >/dev/null
