#include "dialect/record/io.h"

#include <stdio.h>

#include "dialect/agent_trace/fields.h"
#include "dialect/bench/config.h"
#include "dialect/bench/results.h"
#include "dialect/dialect.h"
#include "dialect/record/schema.h"
#include "harness/convert.h"
#include "harness/test.h"

#define ROOM 4096 /* bytes of the largest struct */
#define MADE 4096 /* parsers and buffers of one test at most */

/* What a test makes along the way lives as long as its process. */
static struct {
	struct arena arena;
	struct json_parser *parsers[MADE];
	struct buf bufs[MADE];
	size_t parser_count, buf_count;
} made;

static struct str numbered(size_t i)
{
	return arena_printf(&made.arena, "text %zu", i);
}

static struct val parsed(struct str text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct json_issue issue;
	struct val v;

	if (made.parser_count == MADE)
		FAIL("more than %d parsers", MADE);
	made.parsers[made.parser_count++] = p;
	if (!json_parse_copy(p, text, &v, &issue))
		FAIL("%.*s: %s", STR_ARG(text), issue.message);
	return v;
}

static struct str written(const struct record_type *type, const void *from)
{
	struct buf *out = &made.bufs[made.buf_count++ % MADE];
	struct json_writer w;

	buf_init(out);
	json_write_init(&w, out, JSON_COMPACT);
	record_write(&w, type, from);
	return buf_str(out);
}

/* ---- every record, with every field set ---- */

static struct str text_for(const struct field *f, size_t i)
{
	return f->words ? f->words->items[i % f->words->count] : numbered(i);
}

static void fill_all(const struct record_type *type, char *to);

static void set_list(void *member, const void *items, size_t count)
{
	memcpy(member, &items, sizeof(items));
	memcpy((char *)member + sizeof(items), &count, sizeof(count));
}

/* Of the kinds that hold others, and those that are written and not read. */
static void fill_other(const struct field *f, size_t i, void *member)
{
	static const struct id ids[2] = { { .b = { 1 } }, { .b = { 2 } } };
	static const struct str pairs[] = { { "x", 1 }, { "one", 3 }, { "y", 1 }, { "two", 3 } };
	char *items;

	if (f->kind == KIND_NAME) {
		*(const char **)member = text_for(f, i).p;
	} else if (f->kind == KIND_FIGURE || f->kind == KIND_SOURCE) {
		*(struct figure *)member = FIGURE(i);
	} else if (f->kind == KIND_MICROS) {
		*(int64_t *)member = 1700000000000000 + (int64_t)i;
	} else if (f->kind == KIND_ID) {
		*(struct id *)member = (struct id){ .b = { 3 } };
	} else if (f->kind == KIND_IDS) {
		set_list(member, ids, COUNT(ids));
	} else if (f->kind == KIND_PAIRS) {
		set_list(member, pairs, COUNT(pairs) / 2);
	} else if (f->kind == KIND_OBJECT) {
		fill_all(f->inside, member);
	} else if (f->kind == KIND_LIST) {
		items = test_alloc(f->inside->size);
		fill_all(f->inside, items);
		set_list(member, items, 1);
	}
}

/* A value that is known, and another one in each field. */
static void fill(const struct field *f, size_t i, void *member)
{
	static const struct str texts[] = { { "one", 3 }, { "two", 3 } }, jsons[] = { { "{}", 2 }, { "[]", 2 } };

	switch ((enum field_kind)f->kind) {
	case KIND_NO_MEMBER:
	case KIND_CONST:
	case KIND_LENGTH:
		break;
	case KIND_TEXT:
		*(struct str *)member = text_for(f, i);
		break;
	case KIND_TEXTS:
	case KIND_JSONS:
		set_list(member, f->kind == KIND_TEXTS ? texts : jsons, 2);
		break;
	case KIND_JSON:
		*(struct str *)member = f->types & T_OBJECT ? STR("{\"a\":1}") : STR("[1]");
		break;
	case KIND_BOOL:
		*(bool *)member = true;
		break;
	case KIND_TRUTH:
		*(unsigned *)member = 1 + i % 2;
		break;
	case KIND_WORD:
		*(unsigned *)member = (unsigned)(i % f->words->count);
		break;
	case KIND_I64:
		*(int64_t *)member = 1000 - (int64_t)i;
		break;
	case KIND_U64:
		*(uint64_t *)member = 1000 - i;
		break;
	case KIND_DOUBLE:
		*(double *)member = 1 / (double)(i + 1);
		break;
	default:
		fill_other(f, i, member);
		break;
	}
}

static void fill_all(const struct record_type *type, char *to)
{
	for (size_t i = 0; i < type->count; i++)
		fill(&type->fields[i], i, to + type->fields[i].at);
}

static void check_same(const struct field *f, const void *x, const void *y)
{
	test_case("%s", f->name);
	switch ((enum field_kind)f->kind) {
	case KIND_NO_MEMBER:
	case KIND_CONST:
		break;
	case KIND_TEXT:
	case KIND_JSON:
		CHECK_STR(*(const struct str *)y, *(const struct str *)x);
		break;
	case KIND_TEXTS:
		for (size_t i = 0; i < 2; i++)
			CHECK_STR((*(const struct str *const *)y)[i], (*(const struct str *const *)x)[i]);
		break;
	case KIND_BOOL:
		CHECK_INT(*(const bool *)y, *(const bool *)x);
		break;
	case KIND_TRUTH:
	case KIND_WORD:
		CHECK_INT(*(const unsigned *)y, *(const unsigned *)x);
		break;
	case KIND_I64:
	case KIND_U64:
	case KIND_LENGTH:
		CHECK_INT(*(const int64_t *)y, *(const int64_t *)x);
		break;
	case KIND_DOUBLE:
		CHECK(*(const double *)y == *(const double *)x);
		break;
	default: /* what is written again is compared */
		break;
	}
}

/* The fields that a row writes, in its order, and nothing else. */
static void check_names(const struct record_type *type, struct val object)
{
	struct val_iter it = val_begin(object);
	struct val key, value;

	for (size_t i = 0; i < (type->order ? type->order_count : type->count); i++) {
		const struct field *f = &type->fields[type->order ? type->order[i] : i];

		test_case("%s", f->name);
		if (f->kind == KIND_NO_MEMBER)
			continue;
		CHECK(val_next_member(&it, &key, &value));
		CHECK(val_text_is(key, str_from(f->name)));
	}
	CHECK(!val_next_member(&it, &key, &value));
}

static const struct dialect *dialect_named(const char *name)
{
	for (size_t i = 0; dialects[i]; i++)
		if (strcmp(dialects[i]->name, name) == 0)
			return dialects[i];
	FAIL("no dialect %s", name);
}

/* The schema names the fields of the table, and no others. */
static void check_schema(const char *dialect, const struct record_type *type)
{
	struct val_iter it;
	struct val key, value;
	struct buf out;
	size_t i = 0;

	buf_init(&out);
	schema_add(&out, dialect_named(dialect), MODE_DEFAULT);
	value = val_get(val_get(parsed(buf_str(&out)), STR("$defs")), str_from(type->name));
	it = val_begin(val_get(value, STR("properties")));
	for (; val_next_member(&it, &key, &value); i++) {
		CHECK(i < type->count);
		CHECK(val_text_is(key, str_from(type->fields[i].name)));
	}
	CHECK_INT(i, type->count);
	buf_free(&out);
}

/* What the rules between fields ask for. */
static void make_valid_result(void *record)
{
	struct result *r = record;

	r->ended_at_ms = r->started_at_ms + 1;
	r->ttft_ms = r->e2e_ms;
	r->status = PROVIDER_OK;
	r->failure = str_of(NULL, 0);
	r->pass = VERDICT_FALSE;
}

static void make_valid_config(void *record)
{
	static const struct str prompts[] = { WORD("{\"id\":\"P\",\"name\":\"n\",\"prompt\":\"p\",\"validator\":{}}") };
	static struct config_target target;
	static struct config_suite suite;
	static char digest[7 + 64 + 1];
	struct bench_config *c = record;

	snprintf(digest, sizeof(digest), "sha256:%064d", 7);
	suite = (struct config_suite){ STR("s.json"), str_from(digest + 7) };
	target = c->targets_asked[0];
	target.tag = STR("ollama_openai__text_1__high");
	c->targets_asked = &target;
	c->prompts_sent = prompts;
	c->prompts_sent_count = 1;
	c->suites = &suite;
	c->run_id = STR("r1");
	c->created_at = STR("2026-02-14T00:00:00Z");
	c->suite_digest = suite.sha256;
	c->price_table = str_from(digest);
}

static const struct {
	const char *dialect;
	const struct record_type *type;
	size_t size;
	void (*make_valid)(void *record);
} records[] = {
	{ "results", &result_type, sizeof(struct result), make_valid_result },
	{ "bench-config", &bench_config_type, sizeof(struct bench_config), make_valid_config },
};

TEST(a_record_with_every_field_is_valid_is_in_the_schema_and_is_read_as_it_was_written)
{
	static _Alignas(16) char from[ROOM], to[ROOM];

	for (size_t n = 0; n < COUNT(records); n++) {
		const struct record_type *type = records[n].type;
		struct str text, first = str_of(NULL, 0);
		struct arena a;

		CHECK(records[n].size <= ROOM);
		arena_init(&a);
		memset(from, 0, sizeof(from));
		memset(to, 0, sizeof(to));
		fill_all(type, from);
		records[n].make_valid(from);
		text = written(type, from);
		check_names(type, parsed(text));
		record_read(type, to, parsed(text), &a, 0);
		for (size_t i = 0; i < type->count; i++)
			check_same(&type->fields[i], from + type->fields[i].at, to + type->fields[i].at);
		CHECK_STR(written(type, to), text);
		if (convert_errors(&a, records[n].dialect, text, &first))
			FAIL("%.*s\n%.*s", STR_ARG(first), STR_ARG(text));
		check_schema(records[n].dialect, type);
		arena_free(&a);
	}
}

TEST(the_lines_of_a_trace_have_every_field_that_their_tables_have_a_member_for)
{
	static const struct record_type *const types[] = { &at_node, &at_model_call, &at_tool_call };
	static _Alignas(16) char from[ROOM];

	for (size_t n = 0; n < COUNT(types); n++) {
		const struct record_type *type = types[n];
		uint64_t seen = 0;

		memset(from, 0, sizeof(from));
		for (size_t i = 0; i < type->order_count; i++) {
			const struct field *f = &type->fields[type->order[i]];

			test_case("%s of %s", f->name, type->name);
			CHECK(!(seen >> type->order[i] & 1)); /* an order has each field once */
			seen |= (uint64_t)1 << type->order[i];
			fill(f, i, from + f->at);
		}
		check_names(type, parsed(written(type, from)));
		check_schema("agent-trace", type);
	}
}

/* ---- what is not known ---- */

struct thing {
	struct str name, json;
	const struct str *texts;
	size_t text_count;
	bool flag, other;
	unsigned truth, word;
	int64_t whole;
	uint64_t count;
	double share;
};

#define AT(member) FIELD_AT(struct thing, member)
#define ROW(name, types, need) (name), (types), (need), CHECK_NONE, 0

static const struct field thing_fields[] = {
	{ ROW("name", T_STRING | T_NULL, FIELD_REQUIRED), AT(name) },
	{ ROW("kept", T_OBJECT, FIELD_EXTRA), .kind = KIND_NO_MEMBER },
	{ ROW("json", T_OBJECT, FIELD_EXTRA), FIELD_AS(KIND_JSON, struct thing, json), .unknown = UNKNOWN_ABSENT },
	{ ROW("texts", T_ARRAY, FIELD_REQUIRED), FIELD_LIST(KIND_TEXTS, struct thing, texts, text_count) },
	{ ROW("n", T_INTEGER, FIELD_REQUIRED), FIELD_AS(KIND_LENGTH, struct thing, text_count) },
	{ ROW("flag", T_BOOL, FIELD_EXTRA), AT(flag), .unknown = UNKNOWN_ABSENT },
	{ ROW("other", T_BOOL, FIELD_EXTRA), AT(other), .unknown = UNKNOWN_AS_BEFORE },
	{ ROW("truth", T_BOOL, FIELD_EXTRA), FIELD_AS(KIND_TRUTH, struct thing, truth) },
	{ ROW("word", T_STRING, FIELD_EXTRA), AT(word), .words = WORDS(WORD("low"), WORD("high")) },
	{ ROW("whole", T_INTEGER, FIELD_EXTRA), AT(whole) },
	{ ROW("count", T_INTEGER | T_NULL, FIELD_REQUIRED), AT(count) },
	{ ROW("share", T_NUMBER, FIELD_REQUIRED), AT(share) },
};

static const struct record_type thing_type = { .name = "thing", RECORD_TYPE(thing_fields) };

static const struct thing unknown = { .word = 2, .whole = -1, .share = -1 };

TEST(what_is_not_known_is_null_left_out_or_zero_as_its_row_says)
{
	struct thing t = unknown;

	CHECK_STR(written(&thing_type, &t), STR("{\"name\":null,\"texts\":[],\"n\":0,\"truth\":null,\"word\":null,"
						"\"whole\":null,\"count\":null,\"share\":0}"));
	t.flag = true;
	t.share = 0.0 / 0.0;
	CHECK_STR(written(&thing_type, &t), STR("{\"name\":null,\"texts\":[],\"n\":0,\"flag\":true,\"other\":false,"
						"\"truth\":null,\"word\":null,\"whole\":null,\"count\":null,\"share\":0}"));
}

TEST(what_cannot_be_used_leaves_a_member_as_it_was)
{
	static const char all[] = "{\"name\":null,\"json\":[],\"texts\":{},\"flag\":\"true\",\"truth\":1,\"word\":\"middle\","
		"\"whole\":\"3\",\"count\":-1,\"share\":\"0.5\",\"kept\":{\"a\":1},\"n\":4}";
	static const char *const texts[] = { "{}", "[]", "1", all };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct thing t = unknown;

		test_case("%s", texts[i]);
		record_read(&thing_type, &t, parsed(str_from(texts[i])), &a, 0);
		CHECK_STR(written(&thing_type, &t), written(&thing_type, &unknown));
	}
	arena_free(&a);
}

TEST(numbers_and_truths_are_read_as_text_only_when_asked_for)
{
	struct thing t = unknown;
	struct arena a;

	arena_init(&a);
	record_read(&thing_type, &t, parsed(STR("{\"whole\":\"12.7\",\"truth\":\"False\",\"flag\":\"TRUE\","
						"\"count\":\"1e3\",\"other\":\"truer\"}")), &a, RECORD_READ_LOOSE);
	CHECK_INT(t.whole, 12);
	CHECK_INT(t.truth, 2);
	CHECK_INT(t.count, 1000);
	CHECK(t.flag && !t.other);
	arena_free(&a);
}

TEST(names_are_found_in_any_order_and_the_last_of_two_counts)
{
	struct thing t = unknown;
	struct arena a;

	arena_init(&a);
	record_read(&thing_type, &t, parsed(STR("{\"share\":0.5,\"x\":1,\"\":2,\"w\\u006frd\":\"high\",\"whole\":1,\"texts\":"
						"[1,\"a\",null,\"b\"],\"name\":\"n\",\"whole\":2}")), &a, RECORD_READ_COPY);
	CHECK_STR(written(&thing_type, &t),
		  STR("{\"name\":\"n\",\"texts\":[\"a\",\"b\"],\"n\":2,\"truth\":null,\"word\":\"high\",\"whole\":2,"
		      "\"count\":null,\"share\":0.5}"));
	arena_free(&a);
}
