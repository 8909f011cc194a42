trackway bench plan "$DATA/bench/suite.json" --target mock:a --budget-usd 1
echo "exit $?"
trackway bench plan "$DATA/bench/suite.json" --target mock:a --budget-usd 1 --max-tokens 10
