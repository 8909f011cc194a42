"""Schemas against the published suite of draft 2020-12: each verdict right, or the schema refused for a keyword that is not checked."""

import glob
import json
import os

CHECKED = ("additionalProperties allOf anyOf boolean_schema const enum exclusiveMaximum exclusiveMinimum items maxItems maxLength "
           "maximum minItems minLength minimum not oneOf pattern prefixItems properties required type default "
           "infinite-loop-detection").split()
OURS = set("""type enum const properties required additionalProperties items prefixItems minItems maxItems minLength maxLength minimum
maximum exclusiveMinimum exclusiveMaximum pattern allOf anyOf oneOf not $ref $defs title description default examples $comment
deprecated readOnly writeOnly $schema""".split())


def uses_others(schema):
    """Whether a keyword is used that we do not check; references to elsewhere count."""
    stack = [schema]
    while stack:
        s = stack.pop()
        if not isinstance(s, dict):
            continue
        if set(s) - OURS or not str(s.get("$ref", "#")).startswith("#"):
            return True
        if not s.get("$ref", "#/").startswith("#/") and s.get("$ref") != "#":
            return True
        for k in ("additionalProperties", "items", "not"):
            stack.append(s.get(k))
        for k in ("allOf", "anyOf", "oneOf", "prefixItems"):
            stack.extend(s.get(k, []))
        for k in ("properties", "$defs"):
            stack.extend(s.get(k, {}).values())
    return False


def run(suite):
    directory = suite.data("the published suite", "corpora/09-json-schema/dev/draft2020-12")
    if not directory:
        return
    bad, refused, total, wrongly = [], 0, 0, []
    for path in sorted(glob.glob(os.path.join(directory, "*.json"))):
        with open(path, encoding="utf-8") as f:
            groups = json.load(f)
        cases = [(g, t) for g in groups for t in g["tests"]]
        answers = suite.drive([{"schema": g["schema"], "value": t["data"]} for g, t in cases])
        for (g, t), a in zip(cases, answers):
            what = f"{os.path.basename(path)}: {g['description']}: {t['description']}"
            if "refused" in a:
                refused += 1
                if not uses_others(g["schema"]):
                    wrongly.append((what, a["refused"]))
            else:
                total += 1
                if a["valid"] != t["valid"] or uses_others(g["schema"]):
                    bad.append((what, f"{a['valid']}, not {t['valid']}"))
    suite.check("every verdict of the published suite", bad, total)
    suite.check("refused is only what uses other keywords", wrongly, refused)
    suite.check("most of the suite's core is within what is checked", [] if total > 300 else [("it", f"{total}")], total)
