/* What Python's repr() prints, as JSON: whatever is taken must give one JSON value. */
#include "fuzz/fuzz.h"

#include "base/utf8.h"
#include "dialect/autogen/repr.h"
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	struct json_parser *p = json_parser_open((struct json_options){
		.max_depth = REPR_DEPTH + 1, .allow_duplicates = true, .allow_lone = true });
	struct buf out = { 0 };
	struct val v;

	if (utf8_check(text) == size && repr_to_json(&out, text))
		FUZZ_CHECK(json_parse_copy(p, buf_str(&out), &v, NULL));
	buf_free(&out);
	json_parser_close(p);
	return 0;
}
