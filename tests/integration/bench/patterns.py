"""Classes of characters are Python's, over every character there is."""

import re

KINDS = (r"\d", r"\w", r"\s", r"\S", r"[\s]", r"[^\s]", r"\D", r"\W", r".")


def run(suite):
    everything = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for kind in KINDS:
        # Between letters, so that nothing is trimmed; thousands at once, and alone where that does not say which.
        pattern = f"a(?:{kind})b"
        given = [f"a{c}b" for c in everything]
        bad = []
        for start in range(0, len(given), 4096):
            piece = given[start : start + 4096]
            yes = [t for t in piece if re.fullmatch(pattern, t)]
            no = [t for t in piece if not re.fullmatch(pattern, t)]
            many = [{"validator": {"type": "regex_fullmatch", "pattern": f"(?:{pattern})*"}, "text": "".join(yes)},
                    {"validator": {"type": "contains", "pattern": pattern}, "text": "".join(no)}]
            got = [a["pass"] for a in suite.drive(many)]
            if got == [True, False]:
                continue
            alone = suite.drive([{"validator": {"type": "regex_fullmatch", "pattern": pattern}, "text": t} for t in piece])
            bad += [(f"U+{ord(t[1]):04X}", f"{a['pass']}, not {not a['pass']}")
                    for t, a in zip(piece, alone) if a["pass"] != bool(re.fullmatch(pattern, t))]
        suite.check(f"{kind} over all of Unicode", bad, len(everything))
