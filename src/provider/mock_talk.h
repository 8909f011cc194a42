/*
 * An answer of a model, not yet in anybody's shape, and the steps it is given in. An answer has items (reasoning, text,
 * tool calls, in this order); a stream opens, each item begins, comes in pieces and ends, and the stream closes.
 * A shape turns steps, or the whole answer, into bytes; it keeps no state but what is in the talk. So a stream that
 * lasts for minutes holds a few hundred bytes, and its text only once.
 */
#ifndef PROVIDER_MOCK_TALK_H
#define PROVIDER_MOCK_TALK_H

#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "provider/mock_json.h"
#include "provider/mock_request.h"
#include "provider/mock_script.h"

#define MOCK_CREATED "1767225600" /* 2026-01-01T00:00:00Z: the time in every answer, so that runs can be compared */
#define MOCK_CREATED_TEXT "2026-01-01T00:00:00Z"

enum mock_finish { MOCK_STOP, MOCK_LENGTH, MOCK_TOOL, MOCK_FILTER, MOCK_OTHER };

struct mock_talk {
	struct mock_reply reply; /* text is never NULL */
	struct str model;
	char id[SHA256_HEX];     /* what all ids of the answer are made of */
	struct mock_usage usage; /* all known */
	bool include_usage, generate;
	uint64_t prompt_ms, total_ms; /* by the script's pace */
	uint64_t events;         /* written so far */
};

enum mock_item_kind { MOCK_REASONING, MOCK_TEXT, MOCK_CALL };

struct mock_item {
	enum mock_item_kind kind;
	uint64_t place; /* among the items */
	uint64_t index; /* among the calls */
	struct str whole;
	const struct mock_call *call; /* NULL for others */
};

enum mock_step_kind { MOCK_OPEN, MOCK_BEGIN, MOCK_PIECE, MOCK_END, MOCK_CLOSE };

struct mock_step {
	enum mock_step_kind kind;
	struct mock_item item; /* of BEGIN, PIECE and END */
	struct str piece;
	bool first; /* what it brings is the first of the answer */
	uint64_t delay_ms;
};

/* Where a stream is. */
struct mock_steps {
	const struct mock_talk *talk;
	struct mock_pace pace;
	int stage;
	size_t place, at; /* the item, and how much of it was given */
	bool begun;       /* some item is */
};

/* What holds a stream's events: server-sent events, JSON lines, or one JSON list with a line for each element. */
enum mock_framing { MOCK_EVENTS, MOCK_LINES, MOCK_LIST };

struct mock_shape {
	enum mock_framing framing;
	bool whole_calls; /* a call comes in one piece, when it begins */
	void (*step)(struct buf *out, struct mock_talk *t, const struct mock_step *s);
	void (*whole)(struct buf *out, struct mock_talk *t);
};

extern const struct mock_shape mock_openai_chat, mock_openai_responses, mock_anthropic, mock_ollama, mock_gemini,
	mock_gemini_list, mock_cohere;

/* ---- talks ---- */

/* Fills in what the reply leaves open: finish, tokens (a quarter of the bytes, rounded up), times. */
void mock_talk_settle(struct mock_talk *t, uint64_t input_bytes, const struct mock_pace *pace);

/* A quarter of the bytes, rounded up: how many tokens the mock says that a text has. */
uint64_t mock_tokens_of(uint64_t bytes);

/* How the answer ends: as the script says in any provider's word, else by its calls. */
enum mock_finish mock_talk_finish(const struct mock_talk *t);

/* The same in the words of a shape, one for each finish but MOCK_OTHER: that is the script's word as it stands. */
struct str mock_talk_finish_word(const struct mock_talk *t, const char *const words[MOCK_OTHER]);

/* How many items the answer has: at least one, since an answer of nothing is an empty text. */
size_t mock_talk_items(const struct mock_talk *t);

/* The item at a place below mock_talk_items. It points into the talk. */
struct mock_item mock_talk_item(const struct mock_talk *t, size_t place);

/* ---- steps ---- */

/* From the first step on. Talk and steps must stay where they are; the pace is copied. */
void mock_steps_begin(struct mock_steps *s, const struct mock_talk *t, const struct mock_pace *pace);

/* False after the last one. The step points into the talk. */
bool mock_steps_next(struct mock_steps *s, struct mock_step *out);

/*
 * Cuts the next piece from the front of *left: `chunk` characters, or with 0 a word and the blanks behind it; in JSON
 * (`json`) a word ends behind a comma or colon too. Never inside a character.
 */
struct str mock_piece_cut(struct str *left, uint64_t chunk, bool json);

/* ---- what shapes share ---- */

/*
 * An event of a stream: its JSON is added between the two. The name must not be NULL; chat completions have none and
 * write "data: " themselves. The end counts the event.
 */
void mock_event_begin(struct buf *out, const char *name);
void mock_event_end(struct buf *out, struct mock_talk *t);

#endif
