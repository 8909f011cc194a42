#include <stdlib.h>

#include "kit.h"

static void lanes_of(struct kit *k, const char *lines, struct export_lanes *out)
{
	kit_open(k);
	kit_add(k, str_from(lines), "x");
	export_lanes_of(&k->arena, &k->runs.items[0], out);
}

TEST(what_overlaps_stands_side_by_side_and_a_free_lane_is_taken_again)
{
	struct export_lanes l;
	struct kit k;

	lanes_of(&k, NODE("\"a\"", "tool_call", "", 10, 14, "") NODE("\"b\"", "tool_call", "", 11, 12, "")
		 NODE("\"c\"", "tool_call", "", 12, 15, "") NODE("\"d\"", "tool_call", "", 14, 15, "")
		 NODE("\"e\"", "model_call", "", 11, 12, ""), &l);
	CHECK_INT(l.count[EXPORT_TOOL], 2);
	CHECK_INT(l.count[EXPORT_MODEL], 1);
	CHECK_INT(l.count[EXPORT_AGENT], 0);
	CHECK_INT(l.spans[0].lane, 0);
	CHECK_INT(l.spans[1].lane, 1);
	CHECK_INT(l.spans[2].lane, 1);
	CHECK_INT(l.spans[3].lane, 0);
	CHECK_INT(l.first[EXPORT_TOOL][1], 2);
	CHECK_INT(l.spans[1].next, 3);
	CHECK_INT(l.spans[2].next, 0);
	CHECK_INT(l.spans[4].from_ns, 1000000000);
	CHECK_INT(l.end_ns, 5000000000);
	kit_free(&k);
}

TEST(a_node_that_ends_before_it_begins_has_no_length_and_the_order_is_that_of_beginnings)
{
	struct export_lanes l;
	struct kit k;

	lanes_of(&k, NODE("\"a\"", "retry", "", 9, 2, "") NODE("\"b\"", "retry", "", 3, 3, "") NODE("\"c\"", "retry", "", 3, 3, ""), &l);
	CHECK_INT(l.spans[0].length_ns, 0);
	CHECK_INT(l.spans[0].from_ns, 6000000000);
	CHECK_INT(l.order[0], 1);
	CHECK_INT(l.order[1], 2);
	CHECK_INT(l.order[2], 0);
	CHECK_INT(l.spans[1].lane, 0); /* each is drawn for a microsecond, so these two overlap */
	CHECK_INT(l.spans[2].lane, 1);
	kit_free(&k);
}

TEST(no_two_nodes_of_a_lane_overlap_and_no_lane_is_more_than_needed)
{
	struct kit k;
	struct export_lanes l;
	struct buf text;

	buf_init(&text);
	for (unsigned i = 0, x = 12345; i < 500; i++) {
		x = x * 1103515245 + 12345;
		buf_printf(&text, "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%u\","
			   "\"parent_node_ids\":[],\"timestamp_start\":%u,\"timestamp_end\":%u,\"kind\":\"tool_call\"}\n",
			   i, x >> 8 & 1023, (x >> 8 & 1023) + (x >> 20 & 63));
	}
	buf_add_byte(&text, '\0');
	text.n--;
	lanes_of(&k, text.p, &l);
	CHECK(l.count[EXPORT_TOOL] > 1);
	for (uint32_t lane = 0; lane < l.count[EXPORT_TOOL]; lane++) {
		int64_t end = -1;

		for (uint32_t at = l.first[EXPORT_TOOL][lane]; at; at = l.spans[at - 1].next) {
			CHECK(l.spans[at - 1].from_ns >= end);
			end = l.spans[at - 1].from_ns + l.spans[at - 1].length_ns;
		}
	}
	/* the last lane was begun because all others were taken */
	for (uint32_t i = 0, at = l.first[EXPORT_TOOL][l.count[EXPORT_TOOL] - 1] - 1, busy = 0; i < 500; i++) {
		int64_t length = l.spans[i].length_ns ? l.spans[i].length_ns : 1000;

		busy += l.spans[i].from_ns <= l.spans[at].from_ns && l.spans[i].from_ns + length > l.spans[at].from_ns;
		if (i == 499)
			CHECK(busy >= l.count[EXPORT_TOOL]);
	}
	buf_free(&text);
	kit_free(&k);
}

TEST(microseconds_have_the_decimals_they_need)
{
	static const struct {
		int64_t ns;
		const char *want;
	} cases[] = { { 0, "{\"a\":0}" }, { 1500, "{\"a\":1.5}" }, { 10000000, "{\"a\":10000}" }, { 1234567, "{\"a\":1234.567}" } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct json_writer w;
		struct buf out;

		buf_init(&out);
		json_write_init(&w, &out, JSON_COMPACT);
		json_write_begin_object(&w);
		export_put_us(&w, "a", cases[i].ns);
		json_write_end_object(&w);
		CHECK_STR(buf_str(&out), str_from(cases[i].want));
		buf_free(&out);
	}
}
