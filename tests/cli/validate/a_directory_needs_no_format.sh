trackway validate "$DATA/bench/run" --as bench-run
echo $?
trackway validate "$DATA/../../src/bench/suites/sanity.json" --as bench-suite
