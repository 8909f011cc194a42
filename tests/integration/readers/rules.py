"""The rules of those readers, held without their packages: what we write must keep them, whoever reads it."""

import json
import os

from documents import START, is_atif, source_documents, traces_of

FINISH = {"stop", "length", "content_filter", "tool_call", "error"}
# Of each part that the conventions know: a member that it must have, and whether that is a text.
PARTS = {
    "text": ("content", True), "reasoning": ("content", True), "blob": ("content", True), "uri": ("uri", True),
    "file": ("file_id", True), "tool_call": ("name", True), "tool_call_response": ("response", False),
}

# ---- ATIF ----


def all_steps(document):
    yield from document["steps"]
    for inner in document.get("subagent_trajectories") or []:
        yield from all_steps(inner)


def dollars_of(step):
    metrics = step.get("metrics") or {}
    ours = (metrics.get("extra") or {}).get("trackway") or {}
    return metrics.get("cost_usd"), ours.get("estimated_cost_usd")


def differ(values, total):
    known = [v for v in values if v is not None]
    return bool(known) and abs(sum(known) - (total or 0)) > 1e-9 * max(1.0, abs(total or 0))


def is_unpriced(step):
    metrics = step.get("metrics") or {}
    tokens = metrics.get("prompt_tokens") or metrics.get("completion_tokens")
    return bool(tokens) and dollars_of(step) == (None, None)


def check_totals(document):
    """A figure of a step is in the totals once. Totals that count by themselves (scope "run") are no sums."""
    totals = document.get("final_metrics") or {}
    ours = (totals.get("extra") or {}).get("trackway") or {}
    steps = list(all_steps(document))
    if ours.get("scope") == "run":
        return None
    for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
        if differ([(s.get("metrics") or {}).get(name) for s in steps], totals.get(f"total_{name}")):
            return f"total_{name} is no sum"
    if differ([dollars_of(s)[0] for s in steps], totals.get("total_cost_usd")):
        return "total_cost_usd is no sum"
    if any(is_unpriced(s) for s in steps):  # then nobody knows the total
        return None if ours.get("estimated_cost_usd") is None else "estimated_cost_usd is a part, told as the whole"
    if differ([dollars_of(s)[1] for s in steps], ours.get("estimated_cost_usd")):
        return "estimated_cost_usd is no sum"
    return None


def check_document(document):
    tools = document["agent"].get("tool_definitions") or []
    if not all(isinstance(t, dict) for t in tools):
        return "a tool definition is no object"
    for i, step in enumerate(document["steps"]):
        if step.get("step_id") != i + 1:
            return f"step {i + 1} has the id {step.get('step_id')}"
        if step.get("llm_call_count") == 0 and step.get("metrics") is not None:
            return f"step {i + 1}: no model made it, and it has metrics"
        if None not in dollars_of(step):
            return f"step {i + 1}: its cost stands twice"
        ids = {c.get("tool_call_id") for c in step.get("tool_calls") or []}
        if None in ids:
            return f"step {i + 1}: a call without an id"
        for result in (step.get("observation") or {}).get("results", []):
            if result.get("source_call_id") not in ids | {None}:
                return f"step {i + 1}: a result of a call that is not in it"
    for inner in document.get("subagent_trajectories") or []:
        wrong = check_document(inner)
        if wrong:
            return f"sub-agent: {wrong}"
    return None


def check_atif(s):
    if any(is_atif(d) for d in source_documents(s.path)):
        return None  # it comes back as it was
    for d in s.documents("atif"):
        wrong = check_document(d) or check_totals(d)
        if wrong:
            return (s.name, wrong)
    return None


# ---- OTLP ----


def check_part(part):
    if part["type"] not in PARTS:
        return f"a part of the type {part['type']}"
    member, text = PARTS[part["type"]]
    if member not in part or (text and not isinstance(part[member], str)):
        return f"a part {part['type']} without {member}"
    if part["type"] in ("blob", "uri", "file") and "modality" not in part:
        return f"a part {part['type']} without its modality"
    return None


def check_messages(span):
    inputs, outputs = span.listed("gen_ai.input.messages"), span.listed("gen_ai.output.messages")
    for m in inputs + outputs:
        if not isinstance(m.get("role"), str) or not isinstance(m.get("parts"), list):
            return "a message without role and parts"
        responses = [p for p in m["parts"] if p["type"] == "tool_call_response"]
        if responses and len(m["parts"]) > 1:
            return "a message with a response and something else: readers show only one of them"
        wrong = [w for w in map(check_part, m["parts"]) if w]
        if wrong:
            return wrong[0]
    for m in outputs:
        if not isinstance(m.get("finish_reason"), str):
            return "an answer without finish_reason"
    return None


def check_tools(span):
    for t in span.listed("gen_ai.tool.definitions"):
        if not isinstance(t, dict) or not isinstance(t.get("type"), str) or not isinstance(t.get("name"), str):
            return f"the tool definition {json.dumps(t)[:60]}"
        if "function" in t and isinstance(t["function"], dict):
            return "a tool definition inside a function"
    return None


def check_model_span(span):
    if not span.get("gen_ai.provider.name"):
        return "a model span without its provider"
    for word in span.get("gen_ai.response.finish_reasons") or []:
        if word not in FINISH and "trackway.stop_reason" in span.attributes:
            return f"the finish reason {word}"
        if word in ("end_turn", "tool_use", "tool_calls", "STOP", "max_tokens", "MAX_TOKENS", "completed", "refusal"):
            return f"the finish reason {word}"
    return None


def check_results(spans):
    """What a call gave is said to the next step of its branch."""
    order = sorted(spans, key=lambda s: s.get("trackway.seq"))
    for call in order:
        place = call.get("trackway.result.seq")
        if call.get("gen_ai.operation.name") != "execute_tool" or place is None:
            continue
        later = [s for s in order if s.get("gen_ai.operation.name") == "chat" and s.get("trackway.seq") > place
                 and s.get("trackway.branch") == call.get("trackway.branch")]
        if not later:
            continue
        told = [p for m in later[0].listed("gen_ai.input.messages") for p in m["parts"] if p["type"] == "tool_call_response"]
        if call.get("gen_ai.tool.call.id") not in [p.get("id") for p in told]:
            return f"the result of {call.name} is not in the input of the next step"
    return None


def check_times(spans):
    by_id = {s.id: s for s in spans}
    for s in spans:
        around = by_id.get(s.parent)
        if s.start <= 0 or s.end < s.start:
            return f"{s.name} has no time"
        if s.parent and not around:
            return f"{s.name} has no parent"
        if around and (s.start < around.start or s.end > around.end):
            return f"{s.name} is not within {around.name}"
    return None


def check_trace(spans):
    for s in spans:
        if not s.get("openinference.span.kind"):
            return f"{s.name} has no kind"
        wrong = check_messages(s) or check_tools(s)
        if not wrong and s.get("gen_ai.operation.name") == "chat":
            wrong = check_model_span(s)
        if wrong:
            return f"{s.name}: {wrong}"
    return check_times(spans) or check_results(spans)


def check_otlp(s):
    for spans in traces_of(s.documents("otlp-json")).values():
        wrong = check_trace(spans)
        if wrong:
            return (s.name, wrong)
    return None


# ---- exports, which have no content ----


def check_export(suite, where, number, s):
    out = os.path.join(where, f"{number:05d}")
    status, _, err, _ = suite.run(["export", s.path, "--format", "otlp-json", "-o", out, "--start", START])
    if status != 0:
        return (s.name, f"exit {status}: {err[-160:].decode(errors='replace')}")
    with open(out, encoding="utf-8") as f:
        traces = traces_of([json.loads(line) for line in f], "agent_trace.node.kind")
    os.unlink(out)
    for spans in traces.values():
        models = [x for x in spans if x.get("gen_ai.operation.name") in ("chat", "text_completion", "generate_content")]
        wrong = check_times(spans) or next((w for w in map(check_model_span, models) if w), None)
        if wrong:
            return (s.name, wrong)
    return None


def run(suite):
    samples = suite.samples("atif")
    bad = [hit for hit in map(check_atif, samples) if hit]
    suite.check("rules: ATIF: tools are objects, no metrics without a model, each cost once", bad, len(samples))
    samples = suite.samples("otlp-json")
    bad = [hit for hit in map(check_otlp, samples) if hit]
    suite.check("rules: OTLP: parts, tools, providers, finish reasons, results, times", bad, len(samples))
    where = suite.directory("exports")
    found = suite.each(lambda n: check_export(suite, where, *n), list(enumerate(samples)))
    suite.check("rules: exports: providers, finish reasons, times", [hit for hit in found if hit], len(samples))
