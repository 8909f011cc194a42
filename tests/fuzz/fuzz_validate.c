/*
 * Validation as the library offers it. The first byte picks the format or leaves it to the content, the
 * second the mode, the third the longest record, which also makes chunks short. What is given whole and
 * what is pushed in pieces must give the same report, down to the last letter, and that report must be JSON.
 */
#include <string.h>

#include "fuzz.h"
#include "json/json.h"
#include "trackway.h"

#define HEAD 3

/* Bytes that are pushed are not unpacked, so these would differ. */
static bool is_packed(struct str text)
{
	static const char *const marks[] = { "\x1f\x8b", "\x28\xb5\x2f\xfd" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (str_starts(text, str_from(marks[i])))
			return true;
	return text.n >= 4 && (text.p[0] & 0xf0) == 0x50 && memcmp(text.p + 1, "\x2a\x4d\x18", 3) == 0;
}

static char *json_of(struct tw_report *r)
{
	char *json = tw_report_json(r);

	FUZZ_CHECK(tw_report_verdict(r) <= TW_UNREADABLE);
	FUZZ_CHECK((tw_report_verdict(r) == TW_UNREADABLE) == (tw_report_error(r) != NULL));
	FUZZ_CHECK((tw_report_verdict(r) == TW_INVALID) == (tw_report_errors(r) > 0 && !tw_report_error(r)));
	for (size_t i = 0; i < tw_report_finding_count(r); i++)
		FUZZ_CHECK(tw_report_finding(r, i)->message_size > 0 && tw_report_count_of(r, tw_report_finding(r, i)->code) > 0);
	tw_report_free(r);
	return json;
}

static char *whole(struct str text, const struct tw_validate_options *options)
{
	return json_of(tw_validate_memory(text.p, text.n, "x.jsonl", options));
}

static char *in_pieces(struct str text, size_t piece, const struct tw_validate_options *options)
{
	struct tw_validator *v = tw_validator_open("x.jsonl", options);

	for (size_t at = 0; at < text.n; at += piece)
		tw_validator_feed(v, text.p + at, text.n - at < piece ? text.n - at : piece);
	return json_of(tw_validator_finish(v));
}

static void check_json(const char *text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = JSON_DEPTH });
	struct val v;

	FUZZ_CHECK(json_parse_copy(p, str_from(text), &v, NULL) && val_is(v, JSON_OBJECT));
	json_parser_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_validate_options options = { .size = sizeof(options), .finding_limit = 30 };
	size_t formats = 0;
	struct str text;
	char *a, *b;

	if (size < HEAD)
		return 0;
	text = str_of(data + HEAD, size - HEAD);
	if (is_packed(text))
		return 0;
	while (tw_format_at(formats))
		formats++;
	if (data[0] % (formats + 1) < formats)
		options.format = tw_format_name(tw_format_at(data[0] % (formats + 1)));
	options.mode = (enum tw_mode)(data[1] % 3);
	options.secrets = data[1] & 64;
	options.record_limit = (size_t)data[2] * 8;
	a = whole(text, &options);
	b = in_pieces(text, 1 + size % 61, &options);
	if (strcmp(a, b) != 0)
		fprintf(stderr, "whole:  %s\npieces: %s\n", a, b);
	FUZZ_CHECK(strcmp(a, b) == 0);
	check_json(a);
	tw_text_free(a);
	tw_text_free(b);
	return 0;
}
