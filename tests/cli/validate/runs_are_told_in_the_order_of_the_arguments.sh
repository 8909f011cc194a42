cp -rL "$DATA/bench/run" one
cp -rL "$DATA/bench/run" two
trackway validate one "$DATA/bench/valid.summary.json" two --json=path | tr , '\n' | grep path
