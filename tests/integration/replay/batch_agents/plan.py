"""What run number i is like, and what goes wrong when it is replayed. The recording, the agent and the test all ask here."""

HABITS = ("plain", "tool", "tools", "poll", "ids", "retry", "side")

# What is planted, and what a replay must make of it: the verdict, and the classes the first divergence may have.
PLANTS = {
    "prompt": ("DIVERGED", {"request_mismatch"}),
    "year": ("DIVERGED", {"request_mismatch"}),
    "argument": ("DIVERGED", {"request_mismatch"}),
    "order": ("DIVERGED", {"order"}),
    "extra": ("DIVERGED", {"extra_call"}),
    "missing": ("INCOMPLETE", {"unconsumed"}),
    "output": ("DIVERGED", {"output_mismatch"}),
    "exit": ("DIVERGED", {"exit_status"}),
    "parameter": ("DIVERGED", {"param_changed"}),
    "crash": ("INCOMPLETE", {"unconsumed"}),
    "timeout": ("INCOMPLETE", {"timeout"}),
}


def plant(i):
    """Of every fourth run; None of the others."""
    return list(PLANTS)[i // 4 % len(PLANTS)] if i % 4 == 3 else None


def habit(i):
    if plant(i) == "argument":
        return HABITS[1 + i // 44 % 2]
    return HABITS[i // 10 % len(HABITS)]


def shape(i):
    """A place among shapes.SHAPES."""
    return i % 5


def is_streamed(i):
    return i // 5 % 2 == 1


def turns(i):
    """Questions between the first and the last."""
    return 1 + i // 70 % 3


def script():
    """What the mock says. What a run asks is its own, so `times` counts for each of them."""
    look = {"name": "look_up", "arguments": {"city": "Oslo", "year": 2031}}
    other = {"name": "look_up", "arguments": {"city": "Porto", "year": 2031}}
    return {
        "schema": "trackway.mock/1",
        "rules": [
            {"match": {"contains": "[retry]", "times": 1}, "fault": {"status": 503}},
            {"match": {"last": "[poll]", "times": 2}, "reply": {"text": "pending"}},
            {"match": {"last": "[poll]"}, "reply": {"text": "done"}},
            {"match": {"last": "[tools]"}, "reply": {"tool_calls": [look, other]}},
            {"match": {"last": "[tool]"}, "reply": {"text": "Let me look.", "tool_calls": [look]}},
            {"match": {"contains": "[side]"}, "pace": {"ttft_ms": 300}},
            {},
        ],
    }
