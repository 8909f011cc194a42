/* A cassette for tests of whole replays: two turns of a conversation with a model, made by the recorder's own writer. */
#ifndef UNIT_REPLAY_REPLAY_KIT_H
#define UNIT_REPLAY_REPLAY_KIT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/cassette.h"
#include "replay/tape.h"

#define KIT_BEGUN (INT64_C(1782900000) * 1000000000)
#define KIT_FIRST "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"temperature\":0.5}"
#define KIT_SECOND "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}," \
	"{\"role\":\"assistant\",\"content\":\"one\"},{\"role\":\"user\",\"content\":\"more\"}],\"temperature\":0.5}"
#define KIT_ANSWER(text) "{\"id\":\"a-" text "\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0," \
	"\"message\":{\"role\":\"assistant\",\"content\":\"" text "\"},\"finish_reason\":\"stop\"}]," \
	"\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}"

static inline void kit_add(struct buf *b, uint64_t x, struct str request, struct str answer)
{
	struct http_header headers[] = { { STR("Content-Type"), STR("application/json") } };
	struct http_head ask = { .method = STR("POST") }, head = { .status = 200, .headers = headers, .count = 1 };
	struct cassette_exchange e = {
		.number = x, .group = x + 1, .request = &ask, .answer = &head, .target = STR("/v1/chat/completions"),
		.request_body = request, .answer_body = answer, .how = PROXY_WHOLE,
		.begun_ns = KIT_BEGUN + (int64_t)x * 10000000, .ended_ns = KIT_BEGUN + (int64_t)x * 10000000 + 5000000,
		.provider = STR("openai"), .endpoint = STR("http://127.0.0.1:1/v1/chat/completions"), .base = STR("/v1"),
		.lane = STR("model"),
	};

	cassette_add(b, &e);
}

static inline void kit_cassette(struct buf *b)
{
	buf_init(b);
	cassette_add_head(b, STR("019f0000-0000-7000-8000-000000000001"), KIT_BEGUN, (struct str){ NULL, 0 });
	kit_add(b, 0, STR(KIT_FIRST), STR(KIT_ANSWER("one")));
	kit_add(b, 1, STR(KIT_SECOND), STR(KIT_ANSWER("two")));
}

/* A new directory with the cassette in it; its path is in the arena. */
static inline struct str kit_run(struct arena *a)
{
	char name[] = "/tmp/trackway-kit-XXXXXX";
	struct str dir = arena_copy(a, str_from(mkdtemp(name)));
	struct err err;
	struct buf b;

	kit_cassette(&b);
	file_replace(ARENA_JOIN(a, dir, STR("/cassette.jsonl")), buf_str(&b), 0600, &err);
	buf_free(&b);
	return dir;
}

/* Removes it with what a test may have put there. */
static inline void kit_remove(struct str dir)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %.*s", STR_ARG(dir));
	if (system(command) != 0)
		fprintf(stderr, "%.*s is left\n", STR_ARG(dir));
}

#endif
