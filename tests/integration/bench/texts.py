"""Generated texts: pieces that the rules are about, put together at random."""

BLANKS = [chr(c) for c in (9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 0x85, 0xA0, 0x1680, 0x2000, 0x2003, 0x200A, 0x2028, 0x2029,
                           0x202F, 0x205F, 0x3000)]
NOT_BLANK = [chr(c) for c in (0, 8, 27, 127, 0x180E, 0x200B, 0x200D, 0x2060, 0xFEFF, 0xAD)]
LETTERS = ["free", "Free", "DU", "ps", "a", "s", "docker-compose", "7z", "python3.11", "x_y", "\u0130stat", "\u0131d", "\u017fh",
           "\u212aill", "k", "\u00e9t\u00e9", "\u65e5\u672c", "\U0001f600", "-", "--", ".", "..", "_", "0", "ToOl"]
MARKS = ["`", "``", "```", "```bash\n", "\"", "'", "$", "#", "$ ", "# ", "<tool>", "</tool>", "<TOOL>", "</Tool>", "[tool:", "[TOOL:",
         "[Tool:", "]", "[", ":", "|", "&&", "(", ")", "it's ", "users' ", ",", ";", "=", "/", "\\"]
ENDS = [".", "!", "?", "...", "?!", ". ", "! ", "?\n", ".\u2003", "\u3002", "e.g. ", "3.14 "]


def tools(rng):
    pools = (LETTERS, LETTERS, MARKS, MARKS, [" "], BLANKS, ENDS, NOT_BLANK)
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.randrange(0, 40)))


def prose(rng):
    pools = (LETTERS, LETTERS, LETTERS, [" "], [" "], BLANKS, ENDS, ENDS, NOT_BLANK)
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.randrange(0, 60)))


def lines(rng):
    def line():
        return "".join((rng.choice(["", "", " ", "\t", "  ", rng.choice(BLANKS)]),
                        rng.choice(["- ", "-", "* ", "", "\u2013 ", "--", "1. "]),
                        rng.choice(LETTERS + [""]), rng.choice(["", " ", rng.choice(BLANKS)])))

    ends = ["\n", "\n", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u2028", "\u2029", "\n\n"]
    return "".join(line() + rng.choice(ends) for _ in range(rng.randrange(0, 26)))


def value(rng, depth=0):
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randrange(-3, 4)
    if kind == 2:
        return rng.choice([0.5, 1.5, -2.25, 1.0, 1e20])
    if kind < 6:
        return rng.choice(["", "local", "premium", "a b", "\u00e9", "\"", "\\", "\n", "\U0001f600", "{", "}", "```"])
    if kind == 6:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(["a", "b", "route", "\u00fc", ""]): value(rng, depth + 1) for _ in range(rng.randrange(5))}
