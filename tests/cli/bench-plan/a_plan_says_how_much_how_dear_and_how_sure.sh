trackway bench plan "$DATA/bench/suite.json" --target mock:a --target openai_responses:gpt-4o@high --repeat 3 --max-tokens 500 --warmup 2
