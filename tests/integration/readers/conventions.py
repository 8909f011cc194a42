"""The GenAI conventions' own JSON Schemas, as released: messages, instructions and tool definitions of every span."""

import json
import os
import subprocess

from documents import traces_of
from harness import python_packages

WANTED = "jsonschema==4.26.0\n"
ATTRIBUTES = {
    "gen_ai.input.messages": "gen-ai-input-messages.json",
    "gen_ai.output.messages": "gen-ai-output-messages.json",
    "gen_ai.system_instructions": "gen-ai-system-instructions.json",
    "gen_ai.tool.definitions": "gen-ai-tool-definitions.json",
}
# The schemas let any part of any other type pass, so a misspelled part is one of those. A type that they know must fit its
# own definition.
CHECK = r"""
import glob, json, os, sys
from jsonschema import Draft202012Validator
schemas = {os.path.basename(p): json.load(open(p)) for p in glob.glob(os.path.join(sys.argv[1], "*.json"))}
whole = {n: Draft202012Validator(s) for n, s in schemas.items()}
known = {}
for name, schema in schemas.items():
    for title, d in schema.get("$defs", {}).items():
        const = d.get("properties", {}).get("type", {}).get("const")
        if const:
            known[name, const] = Draft202012Validator({"$defs": schema["$defs"], **d})

def wrong(name, value):
    for e in whole[name].iter_errors(value):
        return "/".join(map(str, e.path)) + ": " + e.message[:120]
    for item in value:
        for part in item.get("parts", [item]):
            if (name, part.get("type")) in known:
                for e in known[name, part["type"]].iter_errors(part):
                    return f"{part['type']}: {e.message[:120]}"

for line in sys.stdin:
    print(json.dumps(wrong(*json.loads(line))), flush=True)
"""


def check_sample(ask, s, figures):
    for spans in traces_of(s.documents("otlp-json")).values():
        for span in spans:
            for attribute, schema in ATTRIBUTES.items():
                if attribute in span.attributes:
                    figures[attribute] = figures.get(attribute, 0) + 1
                    wrong = ask(schema, json.loads(span.attributes[attribute]))
                    if wrong:
                        return (s.name, f"{span.name}: {attribute}: {wrong}")
    return None


def run(suite):
    where = suite.data("conventions", os.path.join("corpora", "07-otlp", "dev", "semconv", "v1.41.1", "schemas"))
    python = where and python_packages(suite, "readers-conventions", WANTED)
    if not python:
        return
    child = subprocess.Popen([python, "-c", CHECK, where], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(schema, value):
        child.stdin.write(json.dumps([schema, value]) + "\n")
        child.stdin.flush()
        return json.loads(child.stdout.readline())

    told = ask("gen-ai-input-messages.json", [{"role": "user", "parts": [{"type": "text", "text": "x"}]}])
    suite.check("conventions: the schemas tell good from bad", [] if told else [("schemas", "take a misspelled text")], 1)
    samples, figures = suite.samples("otlp-json"), {}
    bad = [hit for hit in (check_sample(ask, s, figures) for s in samples) if hit]
    child.stdin.close()
    child.wait()
    suite.note(", ".join(f"{n} {name}" for name, n in sorted(figures.items())))
    suite.check("conventions: messages and tools fit their schemas", bad, len(samples))
