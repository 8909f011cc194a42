. "$(dirname "$0")/common"
trackway bench run "$suite" --target mock:m --mock-script "$script" --run-id r --detector reference -q >/dev/null
grep -o '"tool_calls":\[[^]]*\]' runs/r/results.jsonl
