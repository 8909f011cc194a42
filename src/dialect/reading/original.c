/*
 * Kept members are copied byte by byte from the parsed extra. Numbers that no double holds stand there as strings, and
 * lose their quotes again.
 */
#include "dialect/reading/original.h"

#include "dialect/writing.h"

/* ---- big numbers ---- */

/* The pointer behind its beginning, "/args" of "/args/id"; p NULL when it begins otherwise. */
static struct str pointer_in(struct str pointer, struct str member)
{
	if (pointer.n <= member.n || !str_starts(pointer, member) || pointer.p[member.n] != '/')
		return str_of(NULL, 0);
	return str_of(pointer.p + member.n, pointer.n - member.n);
}

static bool is_number(struct str text)
{
	double d;

	return num_parse_double(text, &d) != NUM_SYNTAX;
}

/* The text without the quotes around what was a number. */
struct str original_payload(struct json_parser *p, const struct event *e, const char *member, struct str json,
			    struct arena *a)
{
	struct str begin = arena_printf(a, "/%s", member);
	char *copy = NULL, *to;
	struct val root, v;

	for (const struct bignum *b = e->bignums; b && json.n; b = b->next) {
		struct str pointer = pointer_in(b->pointer, begin);

		if (!pointer.p)
			continue;
		if (!copy) {
			root = writing_parse(p, json);
			copy = memcpy(arena_array(a, char, json.n + 1), json.p, json.n);
		}
		v = val_is_none(root) ? VAL_NONE : val_at(root, pointer);
		if (!val_is(v, JSON_STRING) || !is_number(val_raw(v)))
			continue;
		copy[val_source(v).p - root.tape->text] = ' ';
		copy[val_source(v).p - root.tape->text + (ptrdiff_t)val_source(v).n - 1] = ' ';
	}
	if (!copy)
		return json;
	to = copy;
	for (size_t i = 0; i < json.n; i++)
		if (copy[i] == json.p[i] || copy[i] != ' ')
			*to++ = copy[i];
	return str_of(copy, (size_t)(to - copy));
}

struct val original_rest(struct json_parser *p, const struct event *e, const char *key, struct arena *a)
{
	struct str json = event_find_extra(e, str_from(key)), major, version;

	if (e->bignums && json.p) {
		major = str_cut(str_from(key), '/', &version);
		json = original_payload(p, e, arena_printf(a, "ext/%.*s~1%.*s", STR_ARG(major), STR_ARG(version)).p,
					json, a);
	}
	return writing_parse(p, json);
}

/* ---- results that no call waited for ---- */

/* The assembler put id and content under "trackway/1" when it made an error or a note of the result. */
bool original_result(struct json_parser *p, const struct event *e, struct event *out, struct arena *a)
{
	bool orphan = e->kind == EVENT_ERROR && str_eq(e->code, STR("orphan_result"));
	bool second = e->kind == EVENT_NOTE && str_eq(e->role, STR("second_result"));
	struct val ours, call, content;

	if (!orphan && !second)
		return false;
	ours = writing_rest(p, e, "trackway/1");
	call = val_get(ours, STR("call_id"));
	content = val_get(ours, STR("result"));
	*out = *e;
	out->kind = EVENT_RESULT;
	out->text = out->class = out->code = out->role = str_of(NULL, 0);
	out->call = val_is(call, JSON_STRING) ? arena_copy(a, val_text(call, a)) : out->call.p ? out->call : STR("");
	if (orphan && !val_is_none(content))
		out->content = arena_copy(a, val_source(content));
	if (str_eq(out->content, STR("null"))) /* it had none */
		out->content = str_of(NULL, 0);
	return true;
}

/* ---- members ---- */

bool original_copy(struct json_writer *j, struct val rest, struct str name)
{
	struct val v = val_get(rest, name);

	if (val_is_none(v))
		return false;
	json_write_key(j, name);
	json_write_raw(j, val_source(v));
	return true;
}

void original_text(struct json_writer *j, struct val rest, struct str name, struct str text)
{
	if (original_copy(j, rest, name) || !text.p)
		return;
	json_write_key(j, name);
	json_write_string(j, text);
}

void original_figure(struct json_writer *j, struct val rest, struct str name, struct figure f)
{
	if (original_copy(j, rest, name) || f.state == FIGURE_ABSENT)
		return;
	json_write_key(j, name);
	if (figure_is_known(f))
		json_write_i64(j, (int64_t)f.n);
	else
		json_write_null(j);
}

void original_amount(struct json_writer *j, struct val rest, struct str name, struct amount a)
{
	if (original_copy(j, rest, name) || a.state == FIGURE_ABSENT)
		return;
	json_write_key(j, name);
	if (amount_is_known(a))
		json_write_double(j, a.n);
	else
		json_write_null(j);
}

/* Names are unescaped to be compared, and escaped anew when they are written. */
void original_others(struct json_writer *j, struct val rest, const struct str *names, size_t count, struct arena *a)
{
	struct val_iter it = val_begin(rest);
	struct val key, value;

	while (val_is(rest, JSON_OBJECT) && val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, a);
		bool known = name.n > 0 && name.p[0] == '#';

		for (size_t i = 0; i < count && !known; i++)
			known = str_eq(names[i], name);
		if (known)
			continue;
		json_write_key(j, name);
		json_write_raw(j, val_source(value));
	}
}

struct str original_note(struct val rest, struct str name)
{
	struct val v = val_get(rest, name);

	return val_is(v, JSON_STRING) ? val_raw(v) : str_of(NULL, 0);
}
