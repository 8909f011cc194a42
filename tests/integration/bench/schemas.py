"""Schemas against the published suite of draft 2020-12: each verdict right, or the schema refused for a keyword that is not checked."""

import glob
import json
import os

import texts

try:
    import jsonschema
except ImportError:
    jsonschema = None

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


def some(rng, depth):
    """A schema of a few keywords; deeper ones are simpler."""
    if depth == 0 and rng.random() < 0.3:
        return rng.choice([True, False, {}])
    made = {}
    for _ in range(rng.randrange(1, 4)):
        keyword = rng.choice(["type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
                              "maxLength", "minItems", "maxItems", "pattern", "required", "properties", "additionalProperties",
                              "items", "prefixItems", "allOf", "anyOf", "oneOf", "not", "$ref"][: 22 if depth else 13])
        if keyword == "type":
            kinds = ["null", "boolean", "number", "integer", "string", "array", "object"]
            made[keyword] = rng.choice([rng.choice(kinds), rng.sample(kinds, 2)])
        elif keyword == "enum":
            made[keyword] = [texts.value(rng, 2) for _ in range(3)]
        elif keyword == "const":
            made[keyword] = texts.value(rng, 2)
        elif keyword.startswith("m") and keyword[3:] in ("Length", "Items"):
            made[keyword] = rng.randrange(4)
        elif "inimum" in keyword or "aximum" in keyword:
            made[keyword] = rng.choice([-1, 0, 0.5, 1, 2])
        elif keyword == "pattern":
            made[keyword] = rng.choice(["^a", "lo", "^[a-z]*r", "^.{2}", "[{}]"])
        elif keyword == "required":
            made[keyword] = rng.sample(["a", "b", "route"], rng.randrange(3))
        elif keyword == "properties":
            made[keyword] = {k: some(rng, depth - 1) for k in rng.sample(["a", "b", "route", "\u00fc", ""], rng.randrange(4))}
        elif keyword in ("prefixItems", "allOf", "anyOf", "oneOf"):
            made[keyword] = [some(rng, depth - 1) for _ in range(rng.randrange(1, 4))]
        elif keyword == "$ref":
            made[keyword] = f"#/$defs/{rng.choice('xy')}"
        else:
            made[keyword] = some(rng, depth - 1)
    return made


def generated(suite):
    if not jsonschema:
        suite.skip("generated schemas", "jsonschema is not installed for python3")
        return
    rng = suite.random("schemas")
    cases = []
    for _ in range(suite.cases):
        schema = some(rng, 3)
        # References lead to simple schemas, so that they cannot go round in circles.
        schema = {"allOf": [schema]} if isinstance(schema, bool) else schema
        schema["$defs"] = {"x": some(rng, 0), "y": some(rng, 0)}
        cases.append({"schema": schema, "value": texts.value(rng)})
    wanted = [jsonschema.Draft202012Validator(c["schema"]).is_valid(c["value"]) for c in cases]
    if not 0.1 < sum(wanted) / len(wanted) < 0.9:
        suite.check("generated schemas are of both kinds", [("it", f"{sum(wanted)} valid")], 1)
    suite.compare("generated schemas", cases, wanted, lambda a: a.get("valid"))


def run(suite):
    generated(suite)
    published(suite)


def published(suite):
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
