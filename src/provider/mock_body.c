#include "provider/mock_body.h"

#include "net/http/unpack.h"

static void mock_body_add(void *context, struct str piece)
{
	buf_add_str(context, piece);
}

/* NULL when it is whole. */
static const char *mock_body_fault(const struct unpack *u, bool good, int *status)
{
	if (good && unpack_is_done(u))
		return NULL;
	*status = unpack_left(u) == 0 ? 413 : 400;
	return unpack_left(u) == 0 ? "the body is too large when it is unpacked"
				   : "the body is not what its Content-Encoding says, or broken off";
}

struct str mock_body_unpack(const struct http_head *h, struct str body, size_t most, struct buf *out,
			    struct mock_refusal *why)
{
	enum unpack_kind kind = unpack_kind_of(http_find(h, STR("content-encoding")));
	const char *fault = "the Content-Encoding is none of gzip, deflate and zstd";
	int status = 415;

	if (kind == UNPACK_PLAIN || body.n == 0)
		return body;
	if (kind != UNPACK_UNKNOWN) {
		struct unpack *u = unpack_open(kind, most);
		bool good = unpack_push(u, body, (struct unpack_sink){ mock_body_add, out });

		fault = mock_body_fault(u, good, &status);
		unpack_close(u);
	}
	if (!fault)
		return buf_str(out);
	buf_clear(out);
	if (why->status == 0)
		*why = (struct mock_refusal){ .status = status, .message = str_from(fault) };
	return STR("");
}
