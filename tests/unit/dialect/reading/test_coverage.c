#include "dialect/reading/coverage.h"

#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "dialect/reading/reading.h"
#include "harness/test.h"

/*
 * A record, marked by what its strings say: "t" is taken, "k" kept, "d" dropped, anything else left. A member "!"
 * with such a string marks the object it is in, with all that is not marked itself.
 */
static void add(struct coverage *c, const char *json)
{
	static const char letters[] = "ltdk";
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	uint8_t *marks;
	struct val v;

	CHECK(json_parse_copy(p, str_from(json), &v, NULL));
	marks = test_alloc(v.tape->count);
	for (struct val at = v; at.at < val_end(v); at.at++) {
		const char *letter = val_is(at, JSON_STRING) ? strchr(letters, val_raw(at).p[0]) : NULL;
		struct val bang = val_is(at, JSON_OBJECT) ? val_get(at, STR("!")) : VAL_NONE;

		if (letter && val_raw(at).n == 1)
			marks[at.at] = (uint8_t)(letter - letters);
		if (!val_is_none(bang))
			marks[at.at] = (uint8_t)(strchr(letters, val_raw(bang).p[0]) - letters);
	}
	coverage_add(c, v, marks);
	json_parser_close(p);
}

/* "path t/k/d/l" for each field, a line each. */
static void check_list(const struct coverage *c, const char *want)
{
	const struct coverage_field *list;
	struct arena a;
	struct buf b;
	size_t n;

	arena_init(&a);
	buf_init(&b);
	n = coverage_list(c, &a, &list);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%.*s %d/%d/%d/%d\n", STR_ARG(list[i].path), (int)list[i].leaves.taken,
			   (int)list[i].leaves.kept, (int)list[i].leaves.dropped, (int)list[i].leaves.left);
	CHECK_STR(buf_str(&b), str_from(want));
	buf_free(&b);
	arena_free(&a);
}

TEST(fields_are_paths_without_places_in_arrays)
{
	static const struct {
		const char *json, *list;
	} cases[] = {
		{ "{\"a\":\"t\",\"b\":{\"c\":\"k\",\"d\":\"d\"},\"e\":\"l\"}",
		  "a 1/0/0/0\nb.c 0/1/0/0\nb.d 0/0/1/0\ne 0/0/0/1\n" },
		{ "{\"m\":[{\"x\":\"t\"},{\"x\":\"t\",\"y\":\"k\"},[\"k\"]]}",
		  "m[].x 2/0/0/0\nm[].y 0/1/0/0\nm[][] 0/1/0/0\n" },
		{ "[\"t\",[\"k\"]]", "[] 1/0/0/0\n[][] 0/1/0/0\n" },
		{ "\"t\"", "(value) 1/0/0/0\n" },
		{ "{}", "(value) 0/0/0/1\n" },
		{ "{\"a\":[],\"b\":{},\"c\":{\"d\":[]}}", "a 0/0/0/1\nb 0/0/0/1\nc.d 0/0/0/1\n" },
		{ "{\"a.b\":\"t\",\"c\":{\"\":\"t\",\"x\\\"y\":\"t\"},\"\\u0061\":\"t\"}",
		  "[\"a.b\"] 1/0/0/0\na 1/0/0/0\nc[\"\"] 1/0/0/0\nc[\"x\\\"y\"] 1/0/0/0\n" },
		/* a mark on a container covers what has none of its own */
		{ "{\"a\":{\"!\":\"t\",\"b\":7,\"c\":[true,{\"d\":null}],\"e\":\"d\"},\"f\":1}",
		  "a.! 1/0/0/0\na.b 1/0/0/0\na.c[] 1/0/0/0\na.c[].d 1/0/0/0\na.e 0/0/1/0\nf 0/0/0/1\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct coverage *c = coverage_open();

		test_case("%s", cases[i].json);
		add(c, cases[i].json);
		check_list(c, cases[i].list);
		coverage_close(c);
	}
}

TEST(a_field_counts_where_it_did_best)
{
	struct coverage *c = coverage_open();
	struct coverage_summary s;

	add(c, "{\"a\":\"t\",\"b\":\"k\",\"c\":\"d\",\"d\":\"l\"}");
	add(c, "{\"a\":\"l\",\"b\":\"l\",\"c\":\"d\",\"d\":\"d\"}");
	s = coverage_sum(c);
	CHECK_INT(s.fields, 4);
	CHECK_INT(s.core, 1);
	CHECK_INT(s.ext, 1);
	CHECK_INT(s.lost, 2);
	CHECK_INT(s.leaves.taken, 1);
	CHECK_INT(s.leaves.kept, 1);
	CHECK_INT(s.leaves.dropped, 3);
	CHECK_INT(s.leaves.left, 3);
	CHECK(s.overall == 0.25);
	CHECK(!s.limited);
	coverage_close(c);
}

TEST(the_mean_per_record_has_its_interval)
{
	struct coverage *c = coverage_open();
	struct coverage_summary s = coverage_sum(c);

	CHECK(s.records == 0 && s.mean == 1 && s.overall == 1 && !s.has_interval);
	add(c, "{\"a\":\"t\",\"b\":\"l\"}");
	s = coverage_sum(c);
	CHECK(s.mean == 0.5 && !s.has_interval);
	add(c, "{\"a\":\"t\"}");
	add(c, "{\"a\":\"t\",\"b\":\"k\",\"c\":\"k\",\"d\":\"l\"}");
	s = coverage_sum(c);
	/* 0.5, 1, 0.75: mean 0.75, standard deviation 0.25 */
	CHECK_INT(s.records, 3);
	CHECK(fabs(s.mean - 0.75) < 1e-12);
	CHECK(s.has_interval);
	CHECK(fabs(s.low - (0.75 - 1.959964 * 0.25 / sqrt(3))) < 1e-9);
	CHECK(s.high == 1); /* no more than all */
	CHECK(fabs(s.overall - 5.0 / 7) < 1e-12);
	coverage_close(c);
}

TEST(merging_is_the_same_as_counting_together)
{
	static const char *const records[] = { "{\"a\":\"t\",\"b\":[{\"c\":\"k\"}]}", "{\"a\":\"k\",\"z\":{\"y\":\"l\"}}",
					       "{\"b\":[\"d\"],\"a\":\"t\"}", "[\"t\"]" };
	struct coverage *all = coverage_open(), *one = coverage_open(), *two = coverage_open();
	struct coverage_summary s, t;

	for (size_t i = 0; i < 4; i++) {
		add(all, records[i]);
		add(i % 2 ? one : two, records[i]);
	}
	coverage_merge(one, two);
	check_list(all, "[] 1/0/0/0\na 2/1/0/0\nb[] 0/0/1/0\nb[].c 0/1/0/0\nz.y 0/0/0/1\n");
	check_list(one, "[] 1/0/0/0\na 2/1/0/0\nb[] 0/0/1/0\nb[].c 0/1/0/0\nz.y 0/0/0/1\n");
	s = coverage_sum(all);
	t = coverage_sum(one);
	CHECK(s.mean == t.mean && s.low == t.low && s.high == t.high && s.overall == t.overall);
	coverage_close(all);
	coverage_close(one);
	coverage_close(two);
}

static void add_members(struct buf *b, const char *prefix, size_t count)
{
	buf_clear(b);
	buf_add_byte(b, '{');
	for (size_t i = 0; i < count; i++)
		buf_printf(b, "%s\"%s%zu\":\"t\"", i ? "," : "", prefix, i);
	buf_add_str(b, STR("}"));
	buf_add_byte(b, '\0');
}

TEST(an_object_used_as_a_map_does_not_make_endless_fields)
{
	struct coverage *c = coverage_open(), *d = coverage_open();
	struct coverage_summary s;
	struct buf b;

	buf_init(&b);
	add_members(&b, "k", 1000);
	add(c, b.p);
	add_members(&b, "x", 1000);
	add(d, b.p);
	s = coverage_sum(c);
	CHECK_INT(s.fields, COVERAGE_MEMBERS + 1);
	CHECK_INT(s.leaves.taken, 1000);
	CHECK(s.limited);
	coverage_merge(c, d);
	s = coverage_sum(c);
	CHECK_INT(s.fields, COVERAGE_MEMBERS + 1);
	CHECK_INT(s.leaves.taken, 2000);
	coverage_close(c);
	coverage_close(d);
	buf_free(&b);
}

TEST(there_is_an_end_to_fields_and_their_leaves_still_count)
{
	struct coverage *c = coverage_open(), *d = coverage_open();
	struct coverage_summary s;
	struct buf b;
	char json[64];

	buf_init(&b);
	for (size_t i = 0; i < 100; i++)
		for (size_t k = 0; k < 100; k++) {
			snprintf(json, sizeof(json), "{\"a%zu\":{\"b%zu\":\"t\"}}", i, k);
			add(i % 2 ? c : d, json);
		}
	coverage_merge(c, d);
	s = coverage_sum(c);
	CHECK_INT(s.leaves.taken, 10000);
	CHECK_INT(s.records, 10000);
	CHECK_INT(s.fields, COVERAGE_FIELDS + 1);
	CHECK(s.limited);
	coverage_close(c);
	coverage_close(d);
	buf_free(&b);
}

TEST(depth_costs_no_stack)
{
	struct coverage *c = coverage_open();
	struct coverage_summary s;
	char json[2002];

	memset(json, '[', 1000);
	memset(json + 1000, ']', 1000);
	json[2000] = '\0';
	add(c, json);
	s = coverage_sum(c);
	CHECK_INT(s.fields, 1);
	CHECK_INT(s.leaves.left, 1);
	coverage_close(c);
}
