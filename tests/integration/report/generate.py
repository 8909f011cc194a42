# Makes a ledger's worth of trial records, the same for the same numbers: models, adapters, tasks, repeats, and some of
# everything that must not count. As a program: generate.py DIR COUNT writes records.jsonl there.
import hashlib
import json
import os
import random
import sys

MODELS = [("m-large", "loop", 0.62), ("m-mid", "loop", 0.5), ("m-mid", "plain", 0.42), ("m-small", "loop", 0.3)]


def record(rng, n, trial, task, model, adapter, skill):
    difficulty = int(hashlib.sha256(task.encode()).hexdigest()[:4], 16) / 65536 - 0.5
    x = skill - 0.5 * difficulty + rng.gauss(0, 0.25)
    reward = 1.0 if x > 0.6 else 0.0 if x < 0.2 else round(min(max(x, 0), 1), 3)
    tokens = rng.randrange(2000, 60000)
    advisor = rng.randrange(0, 3) if adapter == "loop" else 0
    ours = {"class": "completed", "isolation": "landlock" if n % 7 else "bwrap",
            "lock": {"verifier_sha256": hashlib.sha256(task.encode()).hexdigest()}}
    usd = None if n % 11 == 0 and model == "m-mid" else round(tokens * 3e-6, 6)
    ours["price_table"] = None if usd is None else "sha256:" + hashlib.sha256(str(n % 2).encode()).hexdigest()
    return {
        "trial_id": trial, "experiment_id": "e-" + str(n % 3), "dataset_id": None,
        "timestamp": "2026-05-%02dT%02d:00:00Z" % (1 + n % 28, n % 24),
        "task": {"task_id": task, "task_revision": "r1"},
        "agent": {"adapter": adapter, "model": model, "adapter_revision": "a1", "configuration": {}},
        "environment": {"runtime_image": "image", "compute_backend": "local", "tool_versions": {}},
        "inputs": {"instruction": "Do it.", "system_prompt": None, "input_files": []},
        "outputs": {"agent_output": None, "raw_output_path": None, "conversation_path": None,
                    "trajectory_path": None, "agent_result": {"trackway": ours}},
        "evaluation": {"reward": reward, "validity": {"output_parseable": True, "schema_valid": True,
                       "verifier_completed": True, "errors": []}, "breakdown": None, "error_taxonomy": None,
                       "confidence": None, "annotations": None},
        "timing": {"total_seconds": round(rng.uniform(5, 900), 3), "agent_seconds": None, "setup_seconds": None,
                   "verification_seconds": None},
        "cost": {"tokens_in": tokens, "tokens_out": tokens // 10, "cache_read_tokens": tokens // 2,
                 "cache_write_tokens": None, "estimated_cost_usd": usd, "advisor_calls": advisor, "advisor_input_tokens": advisor * 500,
                 "advisor_output_tokens": advisor * 50},
        "adaptation": None, "completeness": "complete"}


def records(count, seed=7):
    rng = random.Random(seed)
    for n in range(count):
        model, adapter, skill = MODELS[n % len(MODELS)]
        task = "%s/task-%03d" % ("civil" if n % 3 else "energy", n // len(MODELS) % max(count // 16, 1))
        r = record(rng, n, "t-%06d" % n, task, model, adapter, skill)
        ours = r["outputs"]["agent_result"]["trackway"]
        if n % 29 == 3:
            r["completeness"] = "partial"
            r["environment"]["tool_versions"] = None
        if n % 37 == 5:
            r["completeness"] = "partial"
            ours["class"] = "infrastructure"
            r["evaluation"]["reward"] = 0.0
        elif n % 41 == 6:
            ours["class"] = "agent_timeout"
        elif n % 53 == 7:
            ours["class"] = "verifier_failed"
            r["evaluation"]["reward"] = 0.0
            r["evaluation"]["validity"]["verifier_completed"] = False
            r["evaluation"]["validity"]["errors"] = ["missing verifier reward artifact"]
        yield r


def regrade(original, trial, reward):
    r = json.loads(json.dumps(original))
    r["trial_id"] = trial
    r["evaluation"]["reward"] = reward
    r["outputs"]["agent_result"]["trackway"]["regrade_of"] = original["trial_id"]
    return r


def main():
    with open(os.path.join(sys.argv[1], "records.jsonl"), "w", encoding="utf-8") as out:
        for r in records(int(sys.argv[2])):
            out.write(json.dumps(r) + "\n")


if __name__ == "__main__":
    main()
