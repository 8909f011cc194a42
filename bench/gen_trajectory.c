/*
 * AEC-Bench trajectories: one run after another, each beginning with the format header. Nearly all the
 * bytes are in a few long strings: prose, programs, listings, tables, with the escapes and the letters
 * beyond ASCII that such text has. One run in four is written as Python's json module writes by default.
 */
#include "gen.h"

#include <string.h>

/*
 * Templates are JSON string contents, already escaped, in which
 *   @ is a word   % a whole number   ~ a decimal number   ^ a word with letters beyond ASCII
 */
static const char *const words[] = {
	"the",      "load",    "of",       "beam",      "cable",    "and",     "section", "is",       "to",
	"voltage",  "drop",    "with",     "design",    "in",       "a",       "value",   "moment",   "for",
	"checked",  "against", "clause",   "result",    "that",     "pressure", "flow",   "pipe",     "we",
	"compute",  "current", "per",      "phase",     "limit",    "steel",   "grade",   "capacity", "factor",
	"on",       "length",  "table",    "reads",     "output",   "file",    "step",    "verify",   "column",
	"slab",     "rebar",   "spacing",  "duct",      "supply",   "return",  "at",      "ambient",  "derating",
	"then",     "standard", "note",    "this",      "assumed",  "because", "drawing", "shows",    "deflection",
	"span",     "ratio",   "governs",  "hence",     "adequate", "not",     "yet",     "schedule", "panel",
};

static const struct {
	const char *utf8, *ascii;
} beyond[] = {
	{ "\xc2\xb0"
	  "C",
	  "\\u00b0C" },
	{ "mm\xc2\xb2", "mm\\u00b2" },
	{ "\xce\xa9", "\\u03a9" },
	{ "\xc2\xb5m", "\\u00b5m" },
	{ "\xe2\x89\xa4", "\\u2264" },
	{ "\xe2\x80\x93", "\\u2013" },
	{ "\xe2\x80\x9cok\xe2\x80\x9d", "\\u201cok\\u201d" },
	{ "\xcf\x83_max", "\\u03c3_max" },
	{ "Stra\xc3\x9f"
	  "e",
	  "Stra\\u00dfe" },
	{ "\xe8\xae\xbe\xe8\xae\xa1", "\\u8bbe\\u8ba1" },
	{ "\xe2\x9c\x85", "\\u2705" },
	{ "\xf0\x9f\x94\xa7", "\\ud83d\\udd27" },
};

static const char *const prose[] = {
	"@ @ @ @ @ @ @, @ @ @ @ @ @. ",
	"@ @ @ @ ~ kW @ @ @ ~ m @ @ @ @. ",
	"@ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @. @ @ @ @ @ @ @ @, @ @ @ @ @. ",
	"@ \\\"@ @ @\\\" @ @ @ @ @ @ (@ @ %). ",
	"@ @ @ @ ^ @ @ ~ ^ @ @ @ @. ",
	"@ @ `@_@` @ @ @, @ @ @ @ @ @; @ @ @ @. ",
	"@ @ @ @ @ @ @ @ @ @ @ @ @.\\n\\n",
	"@ @ @ @ @ @ @ @ @.\\n\\n## @ @ @\\n\\n",
	"\\n- @ @ @ @ @ @ @ ~ @ @ @ @ @ @\\n- @ @ @ @ @ @ @\\n- **@ @**: @ @ @ @ @ @ @ @\\n",
	"\\n| @ | @ | @ |\\n|-------------|-------------|-------------|\\n| ~ | % | @ |\\n| ~ | % | @ |\\n",
};

static const char *const code[] = {
	"import math\\nfrom pathlib import Path\\n\\n",
	"def @_@(@, @: float = ~):\\n    \\\"\\\"\\\"@ @ @ @ @ @ @.\\\"\\\"\\\"\\n    return @ * ~ + @ / %\\n\\n",
	"    for index, row in enumerate(@_@):\\n        @_@ += float(row['@_@']) * ~ * math.cos(@)\\n",
	"@_@ = {'@': ~, '@': %, '@_@': [~, ~, ~, ~]}  # @ @ @ @\\n",
	"    if @_@ > ~ and not @_@.get(\\\"@_@\\\"):\\n        raise ValueError(f'@ {@_@:.2f} @ @ @')\\n",
	"pattern = re.compile(r\\\"\\\\s*(\\\\d+)[,;]\\\\s*@\\\")\\n",
	"with open('/workspace/@_@.csv', 'w') as f:\\n    f.write(\\\"@,@,@,@\\\\n\\\")\\n",
	"# @ @ @ @ @ @ @ @ @ @\\n",
	"    print(f\\\"@_@ = {@_@:.3f} ^, @ = {@_@ / ~:.3f}\\\")\\n",
	"\\t@_@->@ = @_@(@_@, %, @_@->@);\\n",
};

static const char *const listing[] = {
	"-rw-r--r-- 1 root root % May  1 12:00 @_@_@.py\\n",
	"@,~,~,%,@,~,@ @ @,~,%\\n@,~,~,%,@,~,@ @ @,~,%\\n@,~,~,%,@,~,@ @ @,~,%\\n",
	"@_@_@: ~ (@ @ @ ~)\\n",
	"Traceback (most recent call last):\\n  File \\\"/workspace/@.py\\\", line %, in @_@\\nKeyError: '@'\\n",
	"[2026-05-01 12:00:%] INFO @.@: @ @ @ @ @: @=~ @=% @=@\\n",
	"{\\\"@\\\": ~, \\\"@\\\": {\\\"@_@\\\": %, \\\"@\\\": null}}\\n",
	"\\u001b[32mPASS\\u001b[0m tests/@/test_@_@.py::test_@_@_@ (~s)\\n",
	"src/@/@_@.py:%:    @_@ = @_@(@, ~)\\n",
};

static void fill(struct gen *g, const char *template)
{
	uint64_t v;

	for (; *template; template++) {
		switch (*template) {
		case '@':
			gen_raw(g, GEN_PICK(g, words));
			break;
		case '%':
			gen_uint(g, gen_magnitude(g, 1, 5));
			break;
		case '~':
			v = gen_magnitude(g, 2, 6);
			gen_decimal(g, v, 1 + (unsigned)gen_below(g, 3));
			break;
		case '^':
			v = gen_below(g, sizeof(beyond) / sizeof(beyond[0]));
			gen_raw(g, g->ascii ? beyond[v].ascii : beyond[v].utf8);
			break;
		default:
			*g->at++ = *template;
		}
	}
}

/* Between `low` and `high` bytes, with as many short texts as long ones on a scale of doublings. */
static size_t text_length(struct gen *g, size_t low, size_t high)
{
	while (low * 2 < high && gen_chance(g, 60))
		low *= 2;
	return low + gen_below(g, low < high / 2 ? low : high - low);
}

static void add_prose(struct gen *g)
{
	fill(g, GEN_PICK(g, prose));
}

static void add_code(struct gen *g)
{
	fill(g, GEN_PICK(g, code));
}

static void add_listing(struct gen *g)
{
	fill(g, GEN_PICK(g, listing));
}

void gen_text(struct gen *g, enum gen_text kind, size_t low, size_t high)
{
	static void (*const add[])(struct gen *g) = { add_prose, add_code, add_listing };
	size_t length = text_length(g, low, high);
	char *begin;

	*g->at++ = '"';
	begin = g->at;
	while ((size_t)(g->at - begin) < length)
		add[kind](g);
	*g->at++ = '"';
}

static void text(struct gen *g, const char *name, void (*add)(struct gen *g), size_t length)
{
	char *begin;

	gen_key(g, name);
	*g->at++ = '"';
	begin = g->at;
	while ((size_t)(g->at - begin) < length)
		add(g);
	*g->at++ = '"';
}

/* Prose around a program, as an assistant writes it. */
static void answer(struct gen *g)
{
	size_t length = text_length(g, 900, 6000);
	char *begin;

	gen_key(g, "content");
	*g->at++ = '"';
	begin = g->at;
	while ((size_t)(g->at - begin) < length) {
		for (int i = 0; i < 6; i++)
			add_prose(g);
		if (gen_chance(g, 70))
			continue;
		gen_raw(g, "\\n\\n```python\\n");
		for (int i = 0; i < 8; i++)
			add_code(g);
		gen_raw(g, "```\\n\\n");
	}
	*g->at++ = '"';
}

static void entry(struct gen *g, const char *role)
{
	gen_open(g, '{');
	gen_key(g, "step");
	gen_uint(g, g->turn / 3);
	gen_key(g, "role");
	gen_string(g, role);
}

static void tool_call(struct gen *g)
{
	entry(g, "tool_call");
	gen_key(g, "tool_name");
	if (gen_chance(g, 75)) {
		gen_string(g, "bash");
		text(g, "command", add_code, text_length(g, 700, 4000));
	} else {
		gen_string(g, "write_file");
		gen_key(g, "arguments");
		gen_open(g, '{');
		gen_key(g, "path");
		gen_string(g, GEN_PICK(g, words));
		text(g, "text", add_code, text_length(g, 900, 8000));
		gen_key(g, "overwrite");
		gen_bool(g, gen_chance(g, 50));
		gen_close(g, '}');
	}
	gen_close(g, '}');
}

static void tool_result(struct gen *g)
{
	bool failed = gen_chance(g, 12), source = gen_chance(g, 30);

	entry(g, "tool_result");
	gen_key(g, "tool_name");
	gen_string(g, "bash");
	text(g, "stdout", source ? add_code : add_listing, text_length(g, 900, 8000));
	if (failed)
		text(g, "stderr", add_listing, text_length(g, 60, 900));
	gen_key(g, "exit_code");
	gen_uint(g, failed ? 1 + gen_below(g, 2) : 0);
	gen_key(g, "duration_ms");
	gen_uint(g, gen_magnitude(g, 1, 5));
	gen_close(g, '}');
}

static void header(struct gen *g)
{
	gen_open(g, '{');
	gen_key(g, "version");
	gen_uint(g, 1);
	gen_key(g, "format");
	gen_string(g, "aec-bench-trajectory");
	gen_close(g, '}');
	g->left = 2 + 3 * (4 + gen_below(g, 40));
	g->turn = 0;
	g->ascii = gen_chance(g, 25);
}

void gen_trajectory(struct gen *g)
{
	if (g->left == 0) {
		header(g);
		return;
	}
	g->left--;
	g->turn++;
	if (g->turn <= 2) {
		entry(g, g->turn == 1 ? "system" : "user");
		text(g, "content", add_prose, text_length(g, 900, 6000));
		gen_close(g, '}');
	} else if (g->turn % 3 == 0) {
		entry(g, "assistant");
		answer(g);
		gen_close(g, '}');
	} else if (g->turn % 3 == 1) {
		tool_call(g);
	} else {
		tool_result(g);
	}
}
