/* One table has the label of each kind and its name in JSON; lines are written and read by it. */
#include "cmd/sums.h"

#include "base/num.h"
#include "dialect/otutl/otutl.h"

static const struct {
	const char *label, *field;
} kinds[SUM_KINDS] = {
	[SUM_PLAIN] = { "", "sha256" },
	[SUM_JCS] = { "jcs-sha256:", "sha256" },
	[SUM_RAW] = { "sha256:", "raw_sha256" },
	[SUM_RUN] = { OTUTL_LABEL_RUN, "run_hash" },
	[SUM_RUN_LOSSY] = { OTUTL_LABEL_RUN_LOSSY, "run_hash" },
	[SUM_ROOT] = { OTUTL_LABEL_ROOT, "run_root" },
	[SUM_BEHAVIOR] = { OTUTL_LABEL_BEHAVIOR, "behavior_hash" },
	[SUM_FILE] = { "canonical_file_sha256:", "canonical_file_sha256" },
};

struct str sum_label(enum sum_kind kind)
{
	return str_from(kinds[kind].label);
}

const char *sum_field(enum sum_kind kind)
{
	return kinds[kind].field;
}

static bool needs_escapes(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '\\' || name.p[i] == '\n' || name.p[i] == '\r')
			return true;
	return false;
}

/* The escapes of sha256sum: backslash, newline and carriage return. */
static void add_escaped(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (c == '\\' || c == '\n' || c == '\r')
			buf_add_byte(out, '\\');
		buf_add_byte(out, c == '\n' ? 'n' : c == '\r' ? 'r' : c);
	}
}

void sum_add(struct buf *out, const struct sum *s)
{
	char hex[SHA256_HEX];
	bool escaped = needs_escapes(s->name);

	digest_hex(hex, s->digest);
	if (escaped)
		buf_add_byte(out, '\\');
	buf_add_str(out, sum_label(s->kind));
	buf_add(out, hex, sizeof(hex));
	buf_add_str(out, STR("  "));
	if (escaped)
		add_escaped(out, s->name);
	else
		buf_add_str(out, s->name);
	buf_add_byte(out, '\n');
}

/*
 * Puts the name without its escapes into the arena. False for an escape that sha256sum does not write; *name is
 * untouched then.
 */
static bool unescape(struct str *name, struct arena *a)
{
	char *out = arena_array(a, char, name->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < name->n; i++) {
		char c = name->p[i];

		if (c == '\\') {
			if (++i == name->n)
				return false;
			c = name->p[i];
			if (c != 'n' && c != 'r' && c != '\\')
				return false;
			c = c == 'n' ? '\n' : c == 'r' ? '\r' : '\\';
		}
		out[n++] = c;
	}
	*name = str_of(out, n);
	return true;
}

bool sum_parse(struct sum *out, struct arena *a, struct str line)
{
	bool escaped = line.n > 0 && line.p[0] == '\\';

	line = str_skip(line, escaped);
	out->kind = SUM_PLAIN;
	for (int k = SUM_PLAIN + 1; k < SUM_KINDS; k++)
		if (str_starts(line, sum_label((enum sum_kind)k)))
			out->kind = (enum sum_kind)k;
	line = str_skip(line, sum_label(out->kind).n);
	if (line.n < SHA256_HEX + 3 || !digest_parse(str_of(line.p, SHA256_HEX), &out->digest))
		return false;
	line = str_skip(line, SHA256_HEX);
	if (line.p[0] != ' ' || (line.p[1] != ' ' && line.p[1] != '*'))
		return false;
	out->name = str_skip(line, 2);
	return !escaped || unescape(&out->name, a);
}

bool sum_cut_run(struct str name, struct str *file, uint64_t *run)
{
	size_t at = name.n;

	while (at > 0 && name.p[at - 1] != '#')
		at--;
	if (at < 2 || !num_parse_u64(str_skip(name, at), run) || *run == 0)
		return false;
	*file = str_of(name.p, at - 1);
	return true;
}
