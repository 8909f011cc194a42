"""C source as lint sees it: tokens, functions and file-level declarations.

Not a parser. It knows comments, literals, preprocessor lines and balanced brackets, which is enough
for code written to the style of this house; what it cannot understand it leaves alone.
"""

import re

TOKEN = re.compile(
    r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?:[uUL])?'(?:\\.|[^'\\\n])*')
  | (?P<directive>^[ \t]*\#(?:[^\n\\/]|\\\n|\\.|/(?!\*)|/\*.*?\*/)*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<sign>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|\#\#|[^\s\w])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
OPEN = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "for", "while", "switch"}


class Token:
    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line


class Function:
    """head: tokens before the brace. body: tokens of the block, with its braces."""

    def __init__(self, name, head, body):
        self.name, self.head, self.body = name, head, body
        self.first_line, self.last_line = head[0].line, body[-1].line

    @property
    def lines(self):
        return self.last_line - self.first_line + 1

    @property
    def is_static(self):
        return any(t.text == "static" for t in self.head)


def tokens_of(text, first_line=1):
    """Without comments; each preprocessor directive is one token."""
    found, line, at = [], first_line, 0
    for m in TOKEN.finditer(text):
        line += text.count("\n", at, m.start())
        at = m.start()
        if m.lastgroup != "comment":
            found.append(Token(m.lastgroup, m.group(), line))
    return found


def matching(tokens, at):
    """Index of the bracket that closes tokens[at], or of the last token."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in OPEN:
            depth += 1
        elif tokens[i].text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def function_name(head):
    """The word before the parameter list, or None when head is no function's."""
    at = 0
    while at < len(head):
        word = head[at]
        if word.text == "=":
            return None
        if word.kind == "word" and at + 1 < len(head) and head[at + 1].text == "(":
            if word.text not in ("__attribute__", "_Alignas", "_Static_assert", "__extension__"):
                return test_name(head, at) or word.text
            at = matching(head, at + 1)
        at += 1
    return None


def test_name(head, at):
    return head[at + 2].text if head[at].text == "TEST" and at + 2 < len(head) else None


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        everything = tokens_of(text)
        self.directives = [t for t in everything if t.kind == "directive"]
        self.tokens = [t for t in everything if t.kind != "directive"]
        self.functions, self.declarations = [], []
        self._split()

    def _split(self):
        """Cuts the file into functions and declarations; initialisers become one {} token."""
        head, at = [], 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.text == "{":
                end = matching(self.tokens, at)
                name = function_name(head) if head else None
                if name:
                    self.functions.append(Function(name, head, self.tokens[at : end + 1]))
                    head = []
                else:
                    head.append(Token("block", "{}", token.line))
                at = end
            elif token.text == ";":
                if head:
                    self.declarations.append(head)
                head = []
            else:
                head.append(token)
            at += 1

    def includes(self):
        """(line, name, quoted) of every #include."""
        for d in self.directives:
            m = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', d.text)
            if m:
                yield d.line, m.group(1) or m.group(2), m.group(1) is not None

    def conditionals(self):
        """#if, #ifdef, #ifndef and #elif, without the header's own guard."""
        guard = self.guard()
        for d in self.directives:
            m = re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", d.text)
            if m and d is not guard:
                yield d.line, m.group(1)

    def guard(self):
        """The #ifndef of a header's guard, or None."""
        if not self.path.endswith(".h") or len(self.directives) < 2:
            return None
        first, second = (d.text.split() for d in self.directives[:2])
        same = first[0] == "#ifndef" and second[0] == "#define" and first[1:2] == second[1:2]
        return self.directives[0] if same else None

    def code_tokens(self):
        """All tokens of code, those of macro bodies included."""
        for d in self.directives:
            m = re.match(r"\s*#\s*define\s+\w+(\([^)]*\))?", d.text)
            if m:
                body = d.text[m.end() :].replace("\\\n", " \n")
                yield from tokens_of(body, d.line)
                yield Token("sign", ";", d.line)
        yield from self.tokens

    def calls(self):
        """(name, line) of everything called by name; members called through a pointer are left out."""
        before, pending = None, None
        for t in self.code_tokens():
            if pending and t.text == "(":
                yield pending.text, pending.line
            pending = t if t.kind == "word" and before not in (".", "->") else None
            before = t.text

    def words(self):
        before = None
        for t in self.code_tokens():
            if t.kind == "word" and before not in (".", "->"):
                yield t.text, t.line
            before = t.text


def complexity(function):
    """McCabe's number; neighbouring case labels are one branch."""
    count, body = 1, function.body
    for i, t in enumerate(body):
        if t.text in ("if", "for", "while", "&&", "||", "?"):
            count += 1
        elif t.text == "case" and body[i - 1].text != ":":
            count += 1
    return count


def nesting(function):
    """How deep the braces of if, for, while, switch, do and else stand in one another."""
    body, deepest, stack = function.body, 0, []
    openers = {}
    for i, t in enumerate(body):
        if t.text == "(" and body[i - 1].text in CONTROL:
            openers[matching(body, i)] = True
    for i, t in enumerate(body):
        if t.text == "{":
            controls = i > 0 and (body[i - 1].text in ("else", "do") or i - 1 in openers)
            stack.append(controls)
            deepest = max(deepest, sum(stack))
        elif t.text == "}" and stack:
            stack.pop()
    return deepest


def mutable_variable(declaration):
    """The name of the variable a declaration defines when it can change, else None.

    A pointer is constant when const stands behind its last star; anything else when const stands
    anywhere before its name.
    """
    texts = [t.text for t in declaration]
    if texts[0] in ("typedef", "_Static_assert") or "extern" in texts:
        return None
    texts = without_brackets(texts[: texts.index("=")] if "=" in texts else texts)
    if is_prototype(texts, "=" in [t.text for t in declaration]):
        return None
    if texts[-1] == "{}" or len(texts) < 2:
        return None
    if texts[-2] in ("struct", "union", "enum") and len(texts) == 2:
        return None
    if "*" in texts:
        last_star = len(texts) - 1 - texts[::-1].index("*")
        return None if "const" in texts[last_star:] else name_in(texts)
    return None if "const" in texts else name_in(texts)


def without_brackets(texts):
    kept, depth = [], 0
    for t in texts:
        depth += t == "["
        if depth == 0:
            kept.append(t)
        depth -= t == "]"
    return kept


def is_prototype(texts, initialised):
    """A word followed by a parenthesis that does not hold a star: a function, not a pointer to one."""
    if initialised or "(" not in texts:
        return False
    at = texts.index("(")
    while at > 0 and texts[at - 1] in ("__attribute__", "_Alignas"):
        at = next((i for i in range(at + 1, len(texts)) if texts[i] == "("), -1)
        if at < 0:
            return False
    return at > 0 and texts[at + 1] != "*"


def name_in(texts):
    words = [t for t in texts if re.match(r"[A-Za-z_]\w*$", t) and t not in ("const", "static")]
    if "(" in texts:  # (*name)(void)
        inside = texts[texts.index("(") :]
        words = [t for t in inside if re.match(r"[A-Za-z_]\w*$", t)][:1] or words
    return words[-1]
