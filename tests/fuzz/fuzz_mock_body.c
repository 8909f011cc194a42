/*
 * Any bytes as the packed body of a request to the mock server: unpacked within its limit or refused with a reason. The
 * first byte chooses the coding.
 */
#include "fuzz/fuzz.h"

#include "provider/mock_body.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const codings[] = { "gzip", "deflate", "zstd", "br" };
	struct http_header header = { .name = STR("content-encoding") };
	struct http_head h = { .side = HTTP_REQUEST, .headers = &header, .count = 1 };
	struct mock_refusal why = { .status = 0 };
	const size_t most = 1 << 16;
	struct str got;
	struct buf out;

	if (size < 1)
		return 0;
	header.value = str_from(codings[data[0] % 4]);
	buf_init(&out);
	got = mock_body_unpack(&h, str_of(data + 1, size - 1), most, &out, &why);
	FUZZ_CHECK(got.n <= most);
	FUZZ_CHECK(why.status == 0 || (got.n == 0 && why.message.n > 0));
	FUZZ_CHECK(why.status == 0 || why.status == 400 || why.status == 413 || why.status == 415);
	buf_free(&out);
	return 0;
}
