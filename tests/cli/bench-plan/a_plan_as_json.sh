trackway bench plan "$DATA/bench/suite.json" --target mock:a --json
trackway bench plan "$DATA/bench/suite.json" --target mock:a --json=questions,judged
trackway bench plan "$DATA/bench/suite.json" --target mock:a --json=nothing
