/* Names are compared from their ends without separators; values are scanned once from left to right by each row. */
#include "dialect/record/blocklist.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mask.h"
#include "dialect/record/leak.h"
#include "dialect/record/leak_name.h"

enum {
	HEX_LEAST = 33,
	BASE64_LEAST = 41,
	IPV6_GROUPS = 8,
};

/* ---- names ---- */

const char *const blocklist_names[] = {
	"prompt", "prompts", "messages", "output_text", "completion", "tool_args", "tool_arguments", "file_path",
	"file_paths", "env", "environment", "api_key", "*_api_key", "authorization", "ip", "ip_address", "username", "user",
	"kv_block_id", "kv_block_ids", "block_hash", "raw_block_hash", "endpoint", "url", "host", "hostname",
	"request_id", "trace_id", "node_id", "tool_result", "tool_results", "content", "cwd", "error_message",
	NULL,
};

static bool is_separator(char c)
{
	return c == '-' || c == '_';
}

/* How much of `text` is left before what the row ends with; (size_t)-1 when it ends otherwise. */
static size_t name_before(struct str text, struct str row)
{
	size_t i = text.n, k = row.n;

	for (;;) {
		while (k && is_separator(row.p[k - 1]))
			k--;
		while (i && is_separator(text.p[i - 1]))
			i--;
		if (k == 0)
			return i;
		if (i == 0 || ascii_lower(text.p[--i]) != row.p[--k])
			return (size_t)-1;
	}
}

bool blocklist_is_name(struct str name, const char *row)
{
	size_t before = name_before(name, str_from(row[0] == '*' ? row + 1 : row));

	return before != (size_t)-1 && (row[0] == '*' ? before > 0 : before == 0);
}

const char *blocklist_find_name(struct str name)
{
	for (size_t i = 0; blocklist_names[i]; i++)
		if (blocklist_is_name(name, blocklist_names[i]))
			return blocklist_names[i];
	return NULL;
}

/* ---- values ---- */

static bool is_path_byte(char c)
{
	return c != '\0' && !ascii_is_one_of(c, " \t\r\n\v\f\"'`<>()[]{}|;,");
}

/* Two components or more behind the separators at `at`. */
static bool has_two_parts(struct str s, size_t at, const char *separators)
{
	size_t parts = 0;
	bool inside = false;

	for (; at < s.n && parts < 2 && is_path_byte(s.p[at]); at++) {
		bool part = !ascii_is_one_of(s.p[at], separators);

		parts += part && !inside;
		inside = part;
	}
	return parts >= 2;
}

/*
 * leak.h leaves what a trace may hold: routes of an API, numbers, //host/x. Here any slash that begins a word and has
 * two components behind it is a path, and so is any drive.
 */
static bool value_has_path(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char before = i ? s.p[i - 1] : ' ';
		bool begins = !ascii_is_word(before) && !ascii_is_one_of(before, "/\\.-") && (before & 0x80) == 0;

		if (begins && s.p[i] == '/' && has_two_parts(s, i, "/"))
			return true;
		if (begins && ascii_is_alpha(s.p[i]) && i + 2 < s.n && s.p[i + 1] == ':' &&
		    ascii_is_one_of(s.p[i + 2], "/\\") && has_two_parts(s, i + 2, "/\\"))
			return true;
	}
	return leak_has_path(s, NULL, NULL);
}

/* The end of a number from 0 to 255 at `at`, or `at`. */
static size_t octet_end(struct str s, size_t at)
{
	unsigned n = 0;
	size_t i = at;

	for (; i < s.n && i < at + 3 && ascii_is_digit(s.p[i]); i++)
		n = n * 10 + (unsigned)(s.p[i] - '0');
	return n <= 255 ? i : at;
}

static bool is_ipv4_at(struct str s, size_t at)
{
	for (unsigned octets = 1;; octets++) {
		size_t end = octet_end(s, at);

		if (end == at)
			return false;
		if (octets == 4)
			return end == s.n || (!ascii_is_digit(s.p[end]) &&
					      !(s.p[end] == '.' && end + 1 < s.n && ascii_is_digit(s.p[end + 1])));
		if (end == s.n || s.p[end] != '.')
			return false;
		at = end + 1;
	}
}

static bool value_has_ipv4(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (ascii_is_digit(s.p[i]) && (i == 0 || (!ascii_is_digit(s.p[i - 1]) && s.p[i - 1] != '.')) &&
		    is_ipv4_at(s, i))
			return true;
	return false;
}

/* Eight groups of one to four digits with a colon between them, or fewer with one "::". */
static bool is_ipv6_at(struct str s, size_t at)
{
	unsigned groups = 0, gaps = 0;

	while (groups < IPV6_GROUPS) {
		size_t begin = at;

		while (at < s.n && at < begin + 4 && ascii_is_hex(s.p[at]))
			at++;
		groups += at > begin;
		if (at + 1 < s.n && s.p[at] == ':' && s.p[at + 1] == ':' && gaps == 0) {
			gaps = 1;
			at += 2;
		} else if (at > begin && at + 1 < s.n && s.p[at] == ':' && ascii_is_hex(s.p[at + 1])) {
			at++;
		} else {
			break;
		}
	}
	if (at < s.n && ascii_is_word(s.p[at]))
		return false;
	return gaps ? groups > 0 && groups < IPV6_GROUPS : groups == IPV6_GROUPS;
}

static bool value_has_ipv6(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((s.p[i] == ':' || ascii_is_hex(s.p[i])) && (i == 0 || !ascii_is_word(s.p[i - 1])) &&
		    is_ipv6_at(s, i))
			return true;
	return false;
}

static bool value_has_ip(struct str s)
{
	return value_has_ipv4(s) || value_has_ipv6(s);
}

static bool value_has_hex(struct str s)
{
	size_t run = 0;

	for (size_t i = 0; i < s.n && run < HEX_LEAST; i++)
		run = ascii_is_hex(s.p[i]) ? run + 1 : 0;
	return run >= HEX_LEAST;
}

/* Both alphabets, and the padding. */
static bool value_has_base64(struct str s)
{
	size_t run = 0;

	for (size_t i = 0; i < s.n && run < BASE64_LEAST; i++)
		run = ascii_is_word(s.p[i]) || ascii_is_one_of(s.p[i], "+/-=") ? run + 1 : 0;
	return run >= BASE64_LEAST;
}

static bool value_has_scheme(struct str s)
{
	return str_has(s, STR("://"));
}

const struct blocklist_value blocklist_values[] = {
	{ "url", "a URL", value_has_scheme },
	{ "email", "an e-mail address", leak_has_mail },
	{ "path", "an absolute path", value_has_path },
	{ "ip", "an IP address", value_has_ip },
	{ "hex", "33 or more hex digits", value_has_hex },
	{ "base64", "more than 40 characters of base64", value_has_base64 },
	{ "long", "a text of more than 200 characters", leak_is_long },
	{ NULL, NULL, NULL },
};

const struct blocklist_value *blocklist_find_value(struct str text)
{
	for (const struct blocklist_value *v = blocklist_values; v->name; v++)
		if (v->fits(text))
			return v;
	return NULL;
}

/* ---- a document ---- */

/* An open container, and where in it the walk is. */
struct block_level {
	uint32_t end;
	bool is_array;
	uint64_t place; /* of the element, from 1 */
	struct val name;
};

struct block_walk {
	struct blocked_list *list;
	struct arena scratch;
	struct block_level *levels;
	size_t depth, cap;
};

/* A name as part of a pointer; one that is a blocked value itself is hidden. */
static void block_add_part(struct buf *out, struct str name)
{
	if (blocklist_find_value(name)) {
		buf_add_str(out, STR("***"));
		return;
	}
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '~' || name.p[i] == '/')
			buf_add_str(out, name.p[i] == '~' ? STR("~0") : STR("~1"));
		else
			buf_add_byte(out, name.p[i]);
}

/* The pointer of what the walk is at, without anything blocked in it. */
static struct str block_pointer(struct block_walk *w)
{
	struct buf plain, shown;

	buf_init(&plain);
	buf_init(&shown);
	for (size_t i = 0; i < w->depth; i++) {
		const struct block_level *l = &w->levels[i];

		buf_add_byte(&plain, '/');
		if (l->is_array)
			buf_printf(&plain, "%llu", (unsigned long long)l->place - 1);
		else
			block_add_part(&plain, val_text(l->name, &w->scratch));
	}
	mask_text(&shown, buf_str(&plain), MASK_POINTER, NULL, NULL);
	buf_free(&plain);
	return arena_take(w->list->arena, &shown);
}

static void block_add(struct block_walk *w, struct blocked found)
{
	struct blocked_list *l = w->list;

	if (l->total++ >= BLOCKED_KEPT)
		return;
	found.pointer = block_pointer(w);
	arena_grow(l->arena, l->items, l->count, l->cap, 8);
	l->items[l->count++] = found;
}

static void block_look_at_value(struct block_walk *w, struct str text, bool is_name)
{
	const struct blocklist_value *v = blocklist_find_value(text);

	if (v)
		block_add(w, (struct blocked){ .rule = v->name, .about = v->about, .is_name = is_name, .bytes = text.n });
}

static void block_look_at_name(struct block_walk *w, struct val key)
{
	struct str text = val_text(key, &w->scratch);
	const char *row = blocklist_find_name(text);

	if (row)
		block_add(w, (struct blocked){ .rule = row, .is_name = true, .bytes = text.n });
	else
		block_look_at_value(w, text, true);
}

static void block_enter(struct block_walk *w, struct val v)
{
	arena_grow(w->list->arena, w->levels, w->depth, w->cap, 16);
	w->levels[w->depth++] = (struct block_level){ .end = val_end(v), .is_array = val_is(v, JSON_ARRAY) };
}

void blocklist_check(struct blocked_list *list, struct val root)
{
	struct block_walk w = { .list = list };
	uint32_t end = val_end(root);

	arena_init(&w.scratch);
	for (struct val v = root; v.at < end; v.at++) {
		while (w.depth && v.at >= w.levels[w.depth - 1].end)
			w.depth--;
		if (val_is(v, JSON_KEY)) {
			w.levels[w.depth - 1].name = v;
			block_look_at_name(&w, v);
			continue;
		}
		if (w.depth)
			w.levels[w.depth - 1].place++;
		if (val_is(v, JSON_STRING))
			block_look_at_value(&w, val_text(v, &w.scratch), false);
		else if (val_is(v, JSON_NUMBER))
			block_look_at_value(&w, val_raw(v), false);
		else if (val_is(v, JSON_ARRAY) || val_is(v, JSON_OBJECT))
			block_enter(&w, v);
		arena_reset(&w.scratch);
	}
	arena_free(&w.scratch);
}
