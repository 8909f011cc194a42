"""What the C of the program may not do. Each rule is a generator of findings; its doc string names it."""

import re

from csource import Token, complexity, matching, mutable_variable, nesting
from tree import Finding, room_of

HEAP = set(
    "malloc calloc realloc reallocarray free strdup strndup aligned_alloc posix_memalign memalign valloc"
    " asprintf vasprintf".split()
)
PRINTING = set(
    "printf vprintf dprintf vdprintf fprintf vfprintf puts fputs putchar putc fputc fwrite perror"
    " exit _exit _Exit quick_exit".split()
)
UNSAFE = {
    "strcpy": "copy with a length: arena_copy, buf_add",
    "strcat": "add with a length: buf_add",
    "stpcpy": "copy with a length: arena_copy, buf_add",
    "strncpy": "it may leave no terminator: arena_copy, buf_add",
    "strncat": "add with a length: buf_add",
    "sprintf": "use snprintf or arena_printf",
    "vsprintf": "use vsnprintf",
    "gets": "read with a length",
    "strtok": "use str_cut",
    "strtok_r": "use str_cut",
    "atoi": "it cannot fail: num_parse_i64",
    "atol": "it cannot fail: num_parse_i64",
    "atoll": "it cannot fail: num_parse_i64",
    "atof": "it cannot fail: num_parse_double",
    "scanf": "parse by hand",
    "sscanf": "parse by hand",
    "fscanf": "parse by hand",
    "alloca": "use an arena",
    "tmpnam": "use mkstemp",
    "mktemp": "use mkstemp",
    "system": "no shell: fork and exec",
    "popen": "no shell: fork and exec",
}
# For pure rooms: whatever asks the system for something or tells it something. snprintf is pure.
IMPURE = PRINTING | set(
    "fopen fdopen freopen fclose fread fflush fgets getc fgetc getchar getline fseek ftell fileno remove rename"
    " open openat creat close read write pread pwrite readv writev lseek fsync fdatasync ftruncate mmap munmap"
    " stat fstat lstat access unlink mkdir rmdir opendir readdir getcwd chdir pipe dup dup2 poll select"
    " socket connect bind listen accept send recv fork execv execve execvp waitpid kill raise signal sigaction"
    " getenv secure_getenv setenv unsetenv putenv setlocale"
    " time clock clock_gettime gettimeofday localtime gmtime localtime_r mktime nanosleep sleep usleep"
    " clock_wall_ns clock_mono_ns rand srand random getrandom getentropy seed_random getpid"
    " abort atexit pthread_create file_read file_map file_unmap file_write_all file_replace file_sync_dir".split()
)
IMPURE_HEADERS = {"time.h", "unistd.h", "fcntl.h", "dirent.h", "signal.h", "pthread.h", "locale.h", "base/file.h"}

MAX_LINES, MAX_COMPLEXITY, MAX_NESTING = 80, 20, 3
AIM_FILE, MAX_FILE = 600, 800
AIM_HEADER, MAX_HEADER = 150, 250


def calls_outside(tree, names, rooms, remedy):
    for source in tree.product():
        if room_of(source.path) in rooms:
            continue
        for name, line in source.calls():
            if name in names:
                yield Finding(source.path, line, f"{name} is called here; {remedy}", name)


def heap(tree):
    """the heap belongs to src/base"""
    yield from calls_outside(tree, HEAP, {"base"}, "only src/base may: take the memory from an arena or a buf")


def output(tree):
    """only src/cmd prints and exits"""
    yield from calls_outside(tree, PRINTING, {"cmd"}, "only src/cmd may: return an error or a finding instead")
    for source in tree.product():
        if room_of(source.path) == "cmd":
            continue
        for name, line in source.words():
            if name in ("stdout", "stderr"):
                text = f"{name} is used here; let the caller pass the place to write to"
                yield Finding(source.path, line, text, name)


def unsafe(tree):
    """functions that cannot be used safely; tests may, since the sanitizers watch them"""
    for source in tree.product():
        for name, line in source.calls():
            if name in UNSAFE:
                yield Finding(source.path, line, f"{name} is called here; {UNSAFE[name]}", name)


def types(tree):
    """no typedef, no _t of our own"""
    for source in tree.product():
        for token in source.tokens:
            if token.text == "typedef":
                yield Finding(source.path, token.line, "typedef; write struct thing where you use it")
        for before, token in zip(source.tokens, source.tokens[1:]):
            if before.text in ("struct", "union", "enum") and token.text.endswith("_t"):
                yield Finding(source.path, token.line, f"{before.text} {token.text}; a name without _t", token.text)


def local_statics(function):
    """Declarations in a function that begin with static."""
    for i, token in enumerate(function.body):
        if token.text != "static":
            continue
        declaration, at = [], i
        while function.body[at].text not in ("=", ";"):
            if function.body[at].text == "{":
                at = matching(function.body, at)
                declaration.append(Token("block", "{}", token.line))
            else:
                declaration.append(function.body[at])
            at += 1
        yield declaration


def mutable_state(tree):
    """no variables that outlive a call"""
    remedy = "put it in a struct that the caller owns, or make it const"
    for source in tree.product():
        declarations = list(source.declarations)
        for function in source.functions:
            declarations += local_statics(function)
        for declaration in declarations:
            name = mutable_variable(declaration)
            if name:
                text = f"{name} can change and outlives the call; {remedy}"
                yield Finding(source.path, declaration[0].line, text, name)


def conditionals(tree):
    """#if only in src/base, src/json/scan_* and the installed header"""
    for source in tree.product():
        if source.path.startswith(("src/base/", "src/json/scan_", "include/")):
            continue
        for line, word in source.conditionals():
            yield Finding(source.path, line, f"#{word} here; hide the difference behind a function of src/base")


def pure(tree):
    """pure rooms touch neither files, clock, environment nor process"""
    for source in tree.product():
        room = room_of(source.path)
        if room not in read_layers(tree)[1]:
            continue
        remedy = f"{room} is a pure room (LAYERS): let the caller do it and pass the result"
        for line, name, _ in source.includes():
            if name in IMPURE_HEADERS or name.startswith("sys/"):
                yield Finding(source.path, line, f"{name} is included here; {remedy}", name)
        for name, line in source.calls():
            if name in IMPURE:
                yield Finding(source.path, line, f"{name} is called here; {remedy}", name)


def read_layers(tree):
    """({room: rooms it may include}, pure rooms)"""
    rooms, pure_rooms = {}, set()
    if not tree.has("LAYERS"):
        return rooms, pure_rooms
    for line in tree.text("LAYERS").split("\n"):
        name, colon, rest = line.split("#")[0].partition(":")
        if colon and name.strip() == "pure":
            pure_rooms = set(rest.split())
        elif colon:
            rooms[name.strip()] = set(rest.split())
    return rooms, pure_rooms


def layers(tree):
    """rooms include only what LAYERS lets them"""
    rooms, pure_rooms = read_layers(tree)
    for room in sorted(pure_rooms - set(rooms)):
        yield Finding("LAYERS", 0, f"{room} is called pure but has no line of its own; add one")
    for source in tree.product():
        room = room_of(source.path)
        if room is None:
            continue
        if room not in rooms:
            yield Finding(source.path, 0, f"room {room} is not in LAYERS; add a line or move the file")
            continue
        for line, name, quoted in source.includes():
            if quoted:
                yield from check_include(tree, source.path, line, name, rooms)


def check_include(tree, path, line, name, rooms):
    room, other = room_of(path), name.split("/")[0]
    if "/" not in name:
        if not tree.has("include/" + name):
            yield Finding(path, line, f'"{name}" names no room; write "{room}/{name}"')
    elif other != room and other not in rooms[room] and "*" not in rooms[room]:
        allowed = " ".join(sorted(rooms[room])) or "nothing"
        yield Finding(path, line, f"{room} may not include {name} (LAYERS allows {allowed}); turn the dependency round")


def size_limits(source):
    """A .h without a guard is no header but code that several files share."""
    return (AIM_HEADER, MAX_HEADER) if source.guard() else (AIM_FILE, MAX_FILE)


def function_sizes(f):
    if f.lines > MAX_LINES:
        yield f"{f.name} has {f.lines} lines (at most {MAX_LINES}); part it"
    if complexity(f) > MAX_COMPLEXITY:
        yield f"{f.name} has complexity {complexity(f)} (at most {MAX_COMPLEXITY}); part it or use a table"
    if nesting(f) > MAX_NESTING:
        yield f"{f.name} nests {nesting(f)} deep (at most {MAX_NESTING}); return early or part it"


def sizes(tree):
    """files and functions of readable size; in tests only a note"""
    for source in tree.all_c():
        tests = not source.path.startswith(("src/", "include/"))
        lines = source.text.count("\n")
        aim, most = size_limits(source)
        if lines > aim:
            text = f"{lines} lines (aim at {aim}, at most {most}); part it by idea"
            yield Finding(source.path, 0, text, "file", note=tests or lines <= most)
        for f in source.functions:
            for text in function_sizes(f):
                yield Finding(source.path, f.first_line, text, f.name, note=tests)


def recursion(tree):
    """no function calls itself"""
    for source in tree.product():
        for f in source.functions:
            inside = zip(f.body, f.body[1:], f.body[2:])
            for before, word, after in inside:
                if word.text == f.name and after.text == "(" and before.text not in (".", "->"):
                    text = f"{f.name} calls itself; use a stack with a depth limit"
                    yield Finding(source.path, word.line, text, f.name)


def include_guards(tree):
    """a header's guard is its path"""
    for path in tree.match("src/*.h", "tests/*.h", "include/*.h", "bench/*.h"):
        want = re.sub(r"\W", "_", re.sub(r"^(src|tests|include)/", "", path)).upper()
        guard = tree.source(path).guard()
        if not guard or guard.text.split()[1] != want:
            yield Finding(path, 1, f"no guard of the name {want}; begin with #ifndef {want}, #define {want}")


def option_names(tree):
    """The options that the tables of src/cmd have."""
    row = re.compile(r'\{\s*OPT_[A-Z]+,[^,"]+,\s*"([a-z][a-z-]*)"')
    return {name for path in tree.match("src/cmd/*.[ch]") for name in row.findall(tree.text(path))}


def option_words(tree):
    """below src/cmd no text names an option of ours"""
    ours = option_names(tree)
    for source in tree.product():
        if source.path.startswith("src/cmd/"):
            continue
        for token in source.directives + [t for t in source.tokens if t.kind == "string"]:
            text = re.sub(r"/\*.*?\*/", "", token.text, flags=re.DOTALL)
            for name in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", text):
                if name in ours:
                    text = f"--{name} is a word of the command line; set an advice (base/err.h) or use general words"
                    yield Finding(source.path, token.line, text, "--" + name)


RULES = [layers, pure, heap, output, unsafe, types, mutable_state, conditionals, recursion, sizes, include_guards]
RULES.append(option_words)
