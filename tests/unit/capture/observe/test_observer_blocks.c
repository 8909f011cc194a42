#include "capture/observe/block_chain.h"
#include "dialect/record/field.h"
#include "harness/test.h"
#include "unit/capture/observer_feed.h"

#define LONG "a text of some length, so that it fills a block of sixteen tokens and a bit more than that. "
#define LONGER LONG LONG LONG

static struct observers *open_hashing(void)
{
	struct observers *l = observers_open(&test_room);

	observers_hash_blocks(l, &(struct block_options){ .tokens = 16, .key = { { 7 } } });
	return l;
}

static struct observer *ask(struct observers *l, const char *path, const char *body)
{
	return feed_open(l, &(struct feed){ .path = path, .body = str_from(body) });
}

static size_t common(const struct observation *a, const struct observation *b)
{
	size_t n = 0;

	while (n < a->block_count && n < b->block_count && a->blocks[n] == b->blocks[n])
		n++;
	return n;
}

/* A request and one that goes on from it: all blocks of the first but its last are the second's. */
static const struct {
	const char *name, *path, *first, *second;
} talks[] = {
	{ "openai-chat", "/v1/chat/completions",
	  "{\"model\":\"m\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"messages\":["
	  "{\"role\":\"system\",\"content\":\"" LONG "\"},{\"role\":\"user\",\"content\":\"" LONGER "\"}]}",
	  "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"stream\":true,\"messages\":["
	  "{\"role\":\"system\",\"content\":\"" LONG "\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\""
	  LONGER "\"}]},{\"role\":\"assistant\",\"content\":\"yes\"},{\"role\":\"user\",\"content\":\"" LONG "\"}],"
	  "\"model\":\"other\"}" },
	{ "anthropic", "/v1/messages",
	  "{\"model\":\"claude-x\",\"max_tokens\":9,\"system\":[{\"type\":\"text\",\"text\":\"x-anthropic-billing: 1\"},"
	  "{\"type\":\"text\",\"text\":\"" LONG "\"}],\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
	  "\"text\":\"" LONGER "\",\"cache_control\":{\"type\":\"ephemeral\"}}]}]}",
	  "{\"model\":\"claude-x\",\"max_tokens\":9,\"system\":[{\"type\":\"text\",\"text\":\"x-anthropic-billing: 2\"},"
	  "{\"type\":\"text\",\"text\":\"" LONG "\"}],\"messages\":[{\"role\":\"user\",\"content\":\"" LONGER "\"},"
	  "{\"role\":\"assistant\",\"content\":\"yes\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\""
	  LONG "\",\"cache_control\":{\"type\":\"ephemeral\"}}]}]}" },
	{ "openai-responses", "/v1/responses",
	  "{\"model\":\"m\",\"instructions\":\"" LONG "\",\"input\":[{\"role\":\"user\",\"content\":\"" LONGER "\"}]}",
	  "{\"model\":\"m\",\"instructions\":\"" LONG "\",\"input\":[{\"role\":\"user\",\"content\":\"" LONGER "\"},"
	  "{\"role\":\"assistant\",\"content\":\"yes\"},{\"role\":\"user\",\"content\":\"" LONG "\"}]}" },
	{ "gemini", "/v1beta/models/g:generateContent",
	  "{\"systemInstruction\":{\"parts\":[{\"text\":\"" LONG "\"}]},\"contents\":[{\"role\":\"user\",\"parts\":["
	  "{\"text\":\"" LONGER "\"}]}]}",
	  "{\"systemInstruction\":{\"parts\":[{\"text\":\"" LONG "\"}]},\"contents\":[{\"role\":\"user\",\"parts\":["
	  "{\"text\":\"" LONGER "\"}]},{\"role\":\"model\",\"parts\":[{\"text\":\"yes\"}]},"
	  "{\"role\":\"user\",\"parts\":[{\"text\":\"" LONG "\"}]}]}" },
	{ "ollama", "/api/chat",
	  "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"" LONG "\"},{\"role\":\"user\",\"content\":\""
	  LONGER "\"}]}",
	  "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"" LONG "\"},{\"role\":\"user\",\"content\":\""
	  LONGER "\"},{\"role\":\"assistant\",\"content\":\"yes\"},{\"role\":\"user\",\"content\":\"" LONG "\"}]}" },
	{ "cohere", "/v2/chat",
	  "{\"model\":\"command-r\",\"messages\":[{\"role\":\"system\",\"content\":\"" LONG "\"},"
	  "{\"role\":\"user\",\"content\":\"" LONGER "\"}]}",
	  "{\"model\":\"command-r\",\"messages\":[{\"role\":\"system\",\"content\":\"" LONG "\"},"
	  "{\"role\":\"user\",\"content\":\"" LONGER "\"},{\"role\":\"assistant\",\"content\":\"yes\"},"
	  "{\"role\":\"user\",\"content\":\"" LONG "\"}]}" },
};

TEST(a_conversation_that_goes_on_keeps_its_blocks)
{
	struct observers *l = open_hashing();

	for (size_t i = 0; i < COUNT(talks); i++) {
		struct observer *a = ask(l, talks[i].path, talks[i].first), *b = ask(l, talks[i].path, talks[i].second);
		const struct observation *x = observer_seen(a), *y = observer_seen(b);

		test_case("%s", talks[i].name);
		CHECK(x->block_count > 5);
		CHECK(y->block_count > x->block_count);
		CHECK_INT(common(x, y), x->block_count - 1);
		observer_close(a);
		observer_close(b);
	}
	observers_close(l);
}

TEST(without_the_option_there_are_none)
{
	struct observers *l = observers_open(&test_room);

	observers_hash_blocks(l, &(struct block_options){ .tokens = 0 });
	for (size_t i = 0; i < COUNT(talks); i++) {
		struct observer *k = ask(l, talks[i].path, talks[i].first);

		CHECK_INT(observer_seen(k)->block_count, 0);
		observer_close(k);
	}
	observers_close(l);
}

TEST(a_part_that_only_the_service_has_leaves_no_blocks)
{
	static const char *const bodies[] = {
		"{\"model\":\"m\",\"input\":\"" LONG "\",\"previous_response_id\":\"resp_of_nobody\"}",
		"{\"model\":\"m\",\"input\":\"" LONG "\",\"conversation\":\"conv_1\"}",
		"{\"model\":\"m\",\"input\":\"" LONG "\",\"conversation\":{\"id\":\"conv_1\"}}",
		"{\"model\":\"m\",\"input\":\"" LONG "\",\"prompt\":{\"id\":\"pmpt_1\"}}",
	};
	struct observers *l = open_hashing();

	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct observer *k = ask(l, "/v1/responses", bodies[i]);

		CHECK(observer_seen(k)->kind == OBSERVED_MODEL);
		CHECK_INT(observer_seen(k)->block_count, 0);
		observer_close(k);
	}
	observers_close(l);
}

TEST(a_request_that_goes_on_from_an_answer_has_the_blocks_before_it)
{
	struct observers *l = open_hashing();
	struct observer *one = feed_run(l, &(struct feed){
		.path = "/v1/responses",
		.body = STR("{\"model\":\"m\",\"input\":\"" LONGER "\"}"),
		.answer = STR("{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"m\",\"output\":"
			      "[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":"
			      "\"yes\"}]}],\"usage\":{\"input_tokens\":70,\"output_tokens\":32,\"total_tokens\":102}}"),
	});
	struct observer *two = ask(l, "/v1/responses",
				   "{\"model\":\"m\",\"input\":\"" LONG "\",\"previous_response_id\":\"resp_1\"}");
	struct observer *three = ask(l, "/v1/responses",
				     "{\"model\":\"m\",\"input\":\"" LONGER "\",\"previous_response_id\":\"resp_1\"}");
	const struct observation *x = observer_seen(one), *y = observer_seen(two), *z = observer_seen(three);

	CHECK_STR(x->answer, STR("resp_1"));
	CHECK_INT(common(x, y), x->block_count - 1);
	CHECK_INT(common(x, z), x->block_count - 1);
	/* behind those, the answer: 32 tokens are two blocks */
	CHECK(common(y, z) >= x->block_count + 1);
	CHECK(y->block_count >= x->block_count + 2);
	observer_close(one);
	observer_close(two);
	observer_close(three);
	observers_close(l);
}

TEST(a_prompt_of_too_many_blocks_has_none)
{
	struct observers *l = open_hashing();
	struct observer *k;
	struct buf body;

	buf_init(&body);
	buf_add_str(&body, STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\""));
	for (size_t i = 0; i < BLOCK_CHAIN_IDS * 64 / 92 + 2000; i++)
		buf_add_str(&body, STR(LONG));
	buf_add_str(&body, STR("\"}]}"));
	k = feed_open(l, &(struct feed){ .path = "/v1/chat/completions", .body = buf_str(&body) });
	CHECK(observer_seen(k)->kind == OBSERVED_MODEL);
	CHECK_INT(observer_seen(k)->block_count, 0);
	observer_close(k);
	buf_free(&body);
	observers_close(l);
}
