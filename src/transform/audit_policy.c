/* Reads declared budgets and retrieval sets. A row for each member says its name, its type and where it goes. */
#include "transform/audit_policy.h"

#include <math.h>

#include "base/crypto/sha256.h"
#include "base/utf8.h"
#include "json/json.h"
#include "json/put.h"

#define COUNT_MAX 9007199254740991 /* 2^53 - 1: what JSON holds exactly */
#define NAME_SHOWN 200             /* bytes of a member's name, in a message */
#define DIGEST_MARK "sha256:"

struct audit_reading {
	struct arena *arena;
	struct str text;
	struct audit_policy *out;
	struct err *err;
};

/* Refuses a value: its place in the text, what is wrong with `name`, and what would be right. Always false. */
static bool audit_policy_refuse(struct audit_reading *r, struct val v, struct str name, const char *wrong,
				const char *right)
{
	struct str before = str_of(r->text.p, (size_t)(val_source(v).p - v.tape->text));
	size_t lines = str_count(before, '\n'), start = before.n;

	while (start > 0 && before.p[start - 1] != '\n')
		start--;
	return err_set(r->err, ERR_DATA, "line %zu, column %zu: %.*s %s" ERR_HELP "%s", lines + 1,
		       utf8_count(str_skip(before, start)) + 1, STR_ARG(utf8_cut(name, NAME_SHOWN)), wrong, right);
}

static bool audit_policy_count(struct audit_reading *r, struct val v, struct str name, uint64_t *out)
{
	int64_t n;

	if (!val_i64(v, &n) || n < 0 || n > COUNT_MAX)
		return audit_policy_refuse(r, v, name, "is not a count", "write a whole number from 0 on, as 20");
	*out = (uint64_t)n;
	return true;
}

/* A list of texts; `take` refuses what it does not want, or gives what is to be kept. */
static bool audit_policy_texts(struct audit_reading *r, struct val v, struct str name, struct str **list, size_t *count,
			       bool (*take)(struct audit_reading *, struct val, struct str *), const char *right)
{
	struct val_iter it = val_begin(v);
	struct val item;

	if (!val_is(v, JSON_ARRAY))
		return audit_policy_refuse(r, v, name, "is not a list", right);
	if (!take && val_count(v) > AUDIT_TOOLS_MAX)
		return audit_policy_refuse(r, v, name, "names more than 1000 tools", "name those that are used");
	*list = arena_array(r->arena, struct str, val_count(v) + 1);
	for (*count = 0; val_next(&it, &item); ++*count) {
		if (!val_is(item, JSON_STRING) || val_raw(item).n == 0)
			return audit_policy_refuse(r, item, name, "has an entry that is not a text", right);
		(*list)[*count] = val_text_copy(item, r->arena);
		if (take && !take(r, item, &(*list)[*count]))
			return false;
	}
	return true;
}

/* ---- the retrieval set ---- */

static bool audit_policy_uri(struct audit_reading *r, struct val v, struct str *uri)
{
	char hex[SHA256_HEX];
	struct digest d;
	bool added;

	if (str_starts(*uri, STR(DIGEST_MARK))) {
		if (!digest_parse(str_skip(*uri, sizeof(DIGEST_MARK) - 1), &d))
			return audit_policy_refuse(r, v, STR("retrieval_set"), "has a digest that is not one",
						   "write sha256: and 64 hex digits");
		digest_hex(hex, d);
		*uri = ARENA_JOIN(r->arena, STR(DIGEST_MARK), str_of(hex, sizeof(hex)));
	} else if (!audit_is_uri(*uri)) {
		return audit_policy_refuse(r, v, STR("retrieval_set"), "has an entry that is not a URI",
					   "write URIs in full, as https://example.org/a or file:doc/a.md");
	} else {
		*uri = audit_uri_normal(r->arena, *uri);
	}
	map_add(&r->out->set_index, *uri, &added);
	return true;
}

static bool audit_policy_read_set(struct audit_reading *r, struct val v, struct str name)
{
	struct audit_policy *p = r->out;

	p->has_set = true;
	map_init(&p->set_index, r->arena);
	return audit_policy_texts(r, v, name, &p->set, &p->set_count, audit_policy_uri,
				  "write a list of URIs, as [\"https://example.org/a\"]");
}

/* ---- the budget ---- */

static bool audit_policy_read_calls(struct audit_reading *r, struct val v, struct str name)
{
	r->out->has_calls = true;
	return audit_policy_count(r, v, name, &r->out->calls);
}

static bool audit_policy_read_tokens(struct audit_reading *r, struct val v, struct str name)
{
	r->out->has_tokens = true;
	return audit_policy_count(r, v, name, &r->out->tokens);
}

static bool audit_policy_read_cost(struct audit_reading *r, struct val v, struct str name)
{
	r->out->has_cost = true;
	return (val_double(v, &r->out->usd) && r->out->usd >= 0 && isfinite(r->out->usd)) ||
	       audit_policy_refuse(r, v, name, "is not an amount", "write US dollars from 0 on, as 2.50");
}

static bool audit_policy_read_allowed(struct audit_reading *r, struct val v, struct str name)
{
	struct audit_policy *p = r->out;

	if (p->has_allowed)
		return audit_policy_refuse(r, v, name, "declares the allowed tools again", "tools is another name of "
					   "allowed_tools: give one of them");
	p->has_allowed = true;
	return audit_policy_texts(r, v, name, &p->allowed, &p->allowed_count, NULL,
				  "write a list of tools, as [\"search\", \"mcp://docs/read\"]");
}

static bool audit_policy_read_limits(struct audit_reading *r, struct val v, struct str name)
{
	struct audit_policy *p = r->out;
	struct val_iter it = val_begin(v);
	struct val key, value;

	if (!val_is(v, JSON_OBJECT))
		return audit_policy_refuse(r, v, name, "is not an object",
					   "write {\"TOOL\": CALLS}, as {\"search\": 5}");
	if (val_count(v) > AUDIT_TOOLS_MAX)
		return audit_policy_refuse(r, v, name, "names more than 1000 tools", "name those that are used");
	p->limits = arena_array(r->arena, struct audit_limit, val_count(v) + 1);
	for (p->limit_count = 0; val_next_member(&it, &key, &value); p->limit_count++) {
		struct audit_limit *l = &p->limits[p->limit_count];

		l->tool = arena_copy(r->arena, val_text(key, r->arena));
		if (l->tool.n == 0)
			return audit_policy_refuse(r, value, name, "has a tool without a name", "name the tool");
		if (!audit_policy_count(r, value, ARENA_JOIN(r->arena, name, STR("."), l->tool), &l->calls))
			return false;
	}
	return true;
}

struct audit_member {
	const char *name;
	bool (*read)(struct audit_reading *r, struct val v, struct str name);
};

/* Every member must be in the table; each is read by its row. */
static bool audit_policy_members(struct audit_reading *r, struct val v, struct str path,
				 const struct audit_member *rows, size_t count, const char *right)
{
	struct val_iter it = val_begin(v);
	struct val key, value;

	if (!val_is(v, JSON_OBJECT))
		return audit_policy_refuse(r, v, path.n ? path : STR("the policy"), "is not an object", right);
	while (val_next_member(&it, &key, &value)) {
		struct str name = val_text(key, r->arena);
		struct str whole = path.n ? ARENA_JOIN(r->arena, path, STR("."), name) : name;
		size_t i = 0;

		while (i < count && !str_eq(name, str_from(rows[i].name)))
			i++;
		if (i == count)
			return audit_policy_refuse(r, key, whole, "is not known", right);
		if (!rows[i].read(r, value, whole))
			return false;
	}
	return true;
}

static bool audit_policy_read_budget(struct audit_reading *r, struct val v, struct str name)
{
	static const struct audit_member rows[] = {
		{ "max_calls", audit_policy_read_calls },     { "tool_limits", audit_policy_read_limits },
		{ "max_cost_usd", audit_policy_read_cost },   { "max_tokens", audit_policy_read_tokens },
		{ "allowed_tools", audit_policy_read_allowed }, { "tools", audit_policy_read_allowed },
	};

	return audit_policy_members(r, v, name, rows, COUNT(rows), "a budget has max_calls, tool_limits, max_cost_usd, "
				    "max_tokens and allowed_tools, each if it is wanted");
}

static bool audit_policy_read_all(struct audit_reading *r, struct val v, struct str name)
{
	static const struct audit_member rows[] = {
		{ "budget", audit_policy_read_budget },
		{ "retrieval_set", audit_policy_read_set },
	};

	(void)name;
	return audit_policy_members(r, v, STR(""), rows, COUNT(rows),
				    "a policy is an object with budget, retrieval_set or both");
}

/* ---- texts ---- */

static bool audit_policy_read(struct arena *a, struct str text, struct audit_policy *out, struct audit_member what,
			      struct err *err)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 16 });
	struct audit_reading r = { .arena = a, .text = text, .out = out, .err = err };
	struct json_issue issue;
	struct val v;
	bool done;

	if (json_parse_copy(parser, text, &v, &issue))
		done = what.read(&r, v, str_from(what.name));
	else
		done = err_set(err, ERR_DATA, "line %llu, column %llu: this is not JSON: %s" ERR_HELP
			       "write JSON, with names and texts in double quotes", (unsigned long long)issue.line,
			       (unsigned long long)issue.column, issue.message);
	json_parser_close(parser);
	return done;
}

bool audit_policy_parse(struct arena *a, struct str text, struct audit_policy *out, struct err *err)
{
	return audit_policy_read(a, text, out, (struct audit_member){ "", audit_policy_read_all }, err);
}

bool audit_budget_parse(struct arena *a, struct str text, struct audit_policy *out, struct err *err)
{
	return audit_policy_read(a, text, out, (struct audit_member){ "budget", audit_policy_read_budget }, err);
}

bool audit_set_parse(struct arena *a, struct str text, struct audit_policy *out, struct err *err)
{
	return audit_policy_read(a, text, out, (struct audit_member){ "retrieval_set", audit_policy_read_set }, err);
}

bool audit_policy_declares(const struct audit_policy *p)
{
	return p->has_calls || p->has_cost || p->has_tokens || p->has_allowed || p->has_set || p->limit_count;
}

/* ---- digests ---- */

/* "sha256:<hex>" of a normal URI; one that is a digest stays. `out` has room for it. */
static struct str audit_policy_digest(struct str uri, char out[sizeof(DIGEST_MARK) - 1 + SHA256_HEX])
{
	struct sha256 s;

	if (str_starts(uri, STR(DIGEST_MARK)))
		return uri;
	sha256_init(&s);
	memcpy(out, DIGEST_MARK, sizeof(DIGEST_MARK) - 1);
	digest_hex(out + sizeof(DIGEST_MARK) - 1, sha256_of(&s, uri));
	sha256_free(&s);
	return str_of(out, sizeof(DIGEST_MARK) - 1 + SHA256_HEX);
}

struct str audit_set_digests(struct arena *a, const struct audit_policy *p)
{
	char room[sizeof(DIGEST_MARK) - 1 + SHA256_HEX];
	struct json_writer w;
	struct buf out;

	buf_init(&out);
	json_write_init(&w, &out, JSON_COMPACT);
	json_write_begin_array(&w);
	for (size_t i = 0; i < p->set_count; i++)
		json_write_string(&w, audit_policy_digest(p->set[i], room));
	json_write_end_array(&w);
	return arena_take(a, &out);
}

bool audit_set_has(const struct audit_policy *p, struct str uri)
{
	char room[sizeof(DIGEST_MARK) - 1 + SHA256_HEX];
	struct str digest = audit_policy_digest(uri, room);

	return p->set_count && (map_find(&p->set_index, uri) || map_find(&p->set_index, digest));
}
