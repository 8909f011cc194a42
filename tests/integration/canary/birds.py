"""Canaries: texts that are known nowhere else. Each has a mark by which any piece of it is found again."""

import base64
import json
import os
import string

LETTERS = string.ascii_lowercase + string.digits
MIXED = string.ascii_letters + string.digits


class Birds:
    def __init__(self, random, shared):
        self.random = random
        self.known = corpus_secrets(shared)
        self.made = 0

    def mark(self):
        self.made += 1
        return "zq" + "".join(self.random.choices(LETTERS, k=7)) + "x" + str(self.made)

    def run(self, letters, n):
        return "".join(self.random.choices(letters, k=n))

    def key(self):
        """A key of a known service, and what of it must not be seen."""
        a = self.run
        text = self.random.choice([
            "sk-ant-api03-" + a(MIXED, 93) + "AA", "sk-proj-" + a(MIXED, 74) + "T3BlbkFJ" + a(MIXED, 74), "ghp_" + a(MIXED, 36),
            "AKIA" + a("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16), "xoxb-" + a(string.digits, 12) + "-" + a(string.digits, 12) + "-" + a(MIXED, 24),
            "glpat-" + a(MIXED, 20), "AIza" + a(MIXED, 35), "hf_" + a(string.ascii_lowercase, 34), "sk_live_" + a(MIXED, 24),
        ])
        return text, text[-12:]

    def corpus_key(self):
        if not self.known:
            return self.key()
        text = self.known.pop()
        return text, text

    def sentence(self):
        mark = self.mark()
        return f"please tell nobody that {mark} is the plan for the old harbour", mark

    def path(self):
        mark = self.mark()
        return f"/home/{mark}/notes/plan.txt", mark

    def mail(self):
        mark = self.mark()
        return f"{mark}@example.com", mark

    def packed(self):
        text = base64.b64encode(self.sentence()[0].encode()).decode()
        return text, text[8:40]

    def word(self):
        mark = self.mark()
        return mark, mark

    def any(self):
        return self.random.choice([self.key, self.corpus_key, self.sentence, self.sentence, self.path, self.mail, self.packed, self.word])()

    def no_name(self):
        """What cannot pass for a name or an id."""
        return self.random.choice([self.key, self.sentence, self.path, self.mail])()


def corpus_secrets(shared):
    """Keys of the shared list that are one word."""
    path = os.path.join(shared, "data", "corpora", "10-secrets", "dev", "cases.jsonl")
    found = []
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as f:
        for line in f:
            case = json.loads(line)
            text = base64.b64decode(case["text_b64"]).decode(errors="replace")
            if case["expect"] == "flag" and 16 <= len(text) <= 200 and text.isascii() and text.isprintable() and not set(text) & set('"\\ '):
                found.append(text)
    return found
