"""Payloads of others, sent as they are: taken or refused as is expected, and the same nodes from both encodings."""

import json
import os

from payloads import JSON, PROTO, post

PATHS = {"resourceSpans": "/v1/traces", "resourceLogs": "/v1/logs", "resourceMetrics": "/v1/metrics"}


def sent(suite, path, body, media):
    """Its status, the nodes without what differs from run to run, and what was said at the end."""
    with suite.hold(options=["--otlp"]) as held:
        got = post(held.urls["bare"], path, body, media)
        done = held.finish()
    nodes = done.trace().nodes
    ids = {n["node_id"]: i for i, n in enumerate(nodes)}
    plain = [{**n, "node_id": 0, "trace_id": 0, "parent_node_ids": [ids[p] for p in n["parent_node_ids"]]} for n in nodes]
    return got.status, plain, done.err


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def corpus(suite):
    place = suite.data("payloads of others", os.path.join("corpora", "07-otlp", "dev"))
    if not place:
        return
    expected = [json.loads(line) for line in read(place, "EXPECT.jsonl").splitlines()]
    answers, counts, differ, pairs = [], [], [], 0
    for row in expected:
        name = os.path.basename(row["file"]).removesuffix(".json")
        path = PATHS.get(row["signal"], "/v1/traces")
        if row["file"].endswith(".jsonl"):
            continue  # a file of many requests
        status, nodes, said = sent(suite, path, read(place, row["file"]), JSON)
        wanted = 200 if row["ok"] and not row.get("wrapped") else 400
        if status != wanted:
            answers.append((name, f"{status} and not {wanted}"))
        spans = row.get("spans") or 0
        if status == 200 and spans and f"telemetry: {spans:,} span".replace(",", "") not in said.replace(",", ""):
            counts.append((name, f"not {spans} spans: {said[-300:]}"))
        packed = os.path.join(place, "payloads_pb", name + ".pb")
        if status == 200 and os.path.exists(packed):
            pairs += 1
            other = sent(suite, path, read(packed), PROTO)
            if other[0] != 200 or other[1] != nodes:
                differ.append((name, f"{other[0]}: {len(nodes)} nodes and {len(other[1])}"))
    suite.check("payloads are taken or refused as is expected", answers, len(expected))
    suite.check("with the number of spans that is expected", counts, len(expected))
    suite.check("protobuf and JSON give the same nodes", differ, pairs)


def real(suite):
    """What three frameworks sent, with the calls and tokens that they counted themselves."""
    place = suite.data("payloads of frameworks", os.path.join("fresh", "otlp-real"))
    if not place:
        return
    bad = []
    names = sorted(n.removesuffix(".truth.json") for n in os.listdir(place) if n.endswith(".truth.json"))
    for name in names:
        truth = json.loads(read(place, name + ".truth.json"))
        status, nodes, _ = sent(suite, "/v1/traces", read(place, name + ".json"), JSON)
        calls = [n["model_call"] for n in nodes if n["kind"] == "model_call"]
        got = {"steps": len(calls), "in": sum(c["input_tokens"] for c in calls), "out": sum(c["output_tokens"] for c in calls)}
        if status != 200 or any(truth[k] != v for k, v in got.items()):
            bad.append((name, f"{status} {got} and not {truth}"))
    suite.check("calls and tokens of frameworks are those that they counted", bad, len(names))


def run(suite):
    corpus(suite)
    real(suite)
