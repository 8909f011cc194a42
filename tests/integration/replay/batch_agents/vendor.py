"""Sends the requests of a log of real exchanges once more: `vendor.py FILE`. What came back is said by digest."""

import hashlib
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

SERVICES = {
    "api.openai.com": ("OPENAI_BASE_URL", "/v1"),
    "api.anthropic.com": ("ANTHROPIC_BASE_URL", ""),
    "generativelanguage.googleapis.com": ("GOOGLE_GEMINI_BASE_URL", ""),
}


def exchanges(path):
    """Those with a service we have a base address for, and with a body."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            x = json.loads(line)
            url = urllib.parse.urlsplit(x["request"]["url"])
            if url.hostname in SERVICES and x["request"]["method"] == "POST" and x["request"].get("body") is not None:
                yield x, url


def answer(x):
    """The bytes of the answer, and its type."""
    response = x["response"]
    kind = {k.lower(): v for k, v in (response.get("headers") or {}).items()}.get("content-type", "application/json")
    body = response.get("body")
    return (json.dumps(body) if body is not None else response.get("body_text") or "").encode(), kind


def main():
    for x, url in exchanges(sys.argv[1]):
        variable, prefix = SERVICES[url.hostname]
        path = url.path.removeprefix(prefix) + ("?" + url.query if url.query else "")
        request = urllib.request.Request(os.environ[variable] + path, json.dumps(x["request"]["body"]).encode(),
                                         {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as got:
                status, body = got.status, got.read()
        except urllib.error.HTTPError as e:
            status, body = e.code, e.read()
        print(status, hashlib.sha256(body).hexdigest())


if __name__ == "__main__":
    main()
