#include "dialect/exchange/gather.h"

#include "dialect/formats.h"
#include "harness/test.h"

static struct str end(struct exchange_gather *g, struct arena *a)
{
	struct str key = { NULL, 0 }, json = exchange_gather_end(g, a, &key);

	CHECK(!json.p || str_eq(key, STR("k/1")));
	return json;
}

TEST(lists_come_in_the_order_of_their_names_and_end_empty)
{
	struct arena a;
	struct exchange_gather g = { 0 };

	arena_init(&a);
	CHECK(!end(&g, &a).p);
	exchange_gather_add(&g, STR("k/1"), STR("p"), STR("1"));
	exchange_gather_add(&g, STR("k/1"), STR("events"), STR("{}"));
	exchange_gather_add(&g, STR("k/1"), STR("p"), STR("\"\""));
	exchange_gather_add(&g, STR("k/1"), STR("ids"), STR("\"x\""));
	CHECK_STR(end(&g, &a), STR("{\"events\":[{}],\"ids\":[\"x\"],\"p\":[1,\"\"]}"));
	CHECK(!end(&g, &a).p);
	exchange_gather_add(&g, STR("k/1"), STR("z"), STR("1"));
	CHECK_STR(end(&g, &a), STR("{\"z\":[1]}"));
	exchange_gather_free(&g);
	arena_free(&a);
}

TEST(what_is_too_much_is_counted)
{
	static char large[EXCHANGE_GATHER_BYTES / 4];
	struct arena a;
	struct exchange_gather g = { 0 };
	struct str json;

	arena_init(&a);
	memset(large, '1', sizeof(large));
	for (int i = 0; i < 10; i++)
		exchange_gather_add(&g, STR("k/1"), STR("p"), str_of(large, sizeof(large)));
	json = end(&g, &a);
	CHECK(json.n < EXCHANGE_GATHER_BYTES);
	CHECK(str_starts(json, STR("{\"left_out\":7,\"p\":[1")));
	for (int i = 0; i < 20; i++)
		exchange_gather_add(&g, STR("k/1"), arena_printf(&a, "n%d", i), STR("1"));
	CHECK(str_starts(end(&g, &a), STR("{\"left_out\":12,\"n0\":[1]")));
	exchange_gather_free(&g);
	arena_free(&a);
}

TEST(elements_are_put_on_an_event_and_taken_off_again)
{
	struct arena a;
	struct event e = { .kind = EVENT_STEP };
	struct exchange_padding padding = { .texts = { STR("a\"b"), { NULL, 0 } } };
	struct exchange_gather g = { 0 };
	struct str key, json;
	struct reading r;

	arena_init(&a);
	reading_init(&r, &openai_chat_dialect);
	r.arena = &a;
	event_add_extra(&e, &a, STR("openai-chat/1"), STR("{}"));
	exchange_gather_put_padding(&r, &e, &padding);
	CHECK(exchange_gather_has(&e));
	exchange_gather_take(&g, &e);
	CHECK(!exchange_gather_has(&e));
	CHECK_STR(event_find_extra(&e, STR("openai-chat/1")), STR("{}"));
	json = exchange_gather_end(&g, &a, &key);
	CHECK_STR(key, STR("openai-chat/1"));
	CHECK_STR(json, STR("{\"obfuscation\":[\"a\\\"b\"]}"));
	exchange_gather_free(&g);
	reading_free(&r);
	arena_free(&a);
}
