"""convert_tally.py FILE...: what an OTUTL log holds, as one line for each file: two converters must agree about it."""

import collections
import json
import sys

KINDS = ("run_start", "model_step", "tool_call", "tool_result", "run_end")
TOKENS = ("tokens_in", "tokens_out", "cache_read_tokens", "cache_write_tokens")


def tally(path):
    kinds, tokens, orphans, failed, usd = collections.Counter(), collections.Counter(), 0, 0, 0
    with open(path, "rb") as f:
        for line in f:
            record = json.loads(line)
            kind = record["type"]
            kinds[kind] += 1
            if kind == "cost":
                for name in TOKENS:
                    tokens[name] += record.get(name) or 0
                usd += record.get("estimated_cost_usd") or 0
            orphans += kind == "error" and record.get("code") == "no_result"
            failed += kind == "tool_result" and record.get("is_error") is True
    parts = [f"{kind}={kinds[kind]}" for kind in KINDS] + [f"no_result={orphans}", f"failed={failed}"]
    return " ".join(parts + [f"{name}={tokens[name]}" for name in TOKENS] + [f"usd={usd:.2f}"])


for path in sys.argv[1:]:
    print(tally(path))
