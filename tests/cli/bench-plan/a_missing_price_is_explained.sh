trackway bench plan "$DATA/bench/suite.json" --target openai:gpt-4o --target openrouter:a/b --target vllm:c --max-tokens 500
trackway bench plan "$DATA/bench/suite.json" --target openai:gpt-4o --target mock:free --max-tokens 500 | grep -c price
trackway bench plan "$DATA/bench/suite.json" --target openai:gpt-4o --target mock:a --json=targets | grep price_known
