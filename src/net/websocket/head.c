/* What WebSocket adds to the heads of a handshake: the key, and what may be packed. */
#include <openssl/evp.h>

#include "base/ascii.h"
#include "base/crypto/base64.h"
#include "base/fatal.h"
#include "net/websocket/websocket.h"

#define NAME "permessage-deflate"

bool websocket_is_asked(const struct http_head *request)
{
	return request->upgrade && http_list_has(http_find(request, STR("upgrade")), STR("websocket"));
}

void websocket_add_accept(struct buf *out, struct str key)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	size_t n = 0;
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, key);
	buf_add_str(&text, STR("258EAFA5-E914-47DA-95CA-C5AB0DC85B11")); /* RFC 6455, 1.3 */
	if (!EVP_Q_digest(NULL, "SHA1", NULL, text.p, text.n, digest, &n))
		fatal_exit("OpenSSL gives no SHA-1");
	base64_add(out, str_of(digest, n));
	buf_free(&text);
}

/* ---- lists of extensions ---- */

/* The part before the next `at` that is not inside quotes, trimmed; the rest stays in *left. */
static struct str cut_part(struct str *left, char at)
{
	bool quoted = false;
	struct str part;
	size_t i = 0;

	for (; i < left->n && (quoted || left->p[i] != at); i++)
		quoted ^= left->p[i] == '"';
	part = str_of(left->p, i);
	*left = str_skip(*left, i < left->n ? i + 1 : i);
	return str_trim(part);
}

/* 8 to 15, perhaps in quotes; 0 when it is no such number. */
static int bits_of(struct str value)
{
	if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"')
		value = str_of(value.p + 1, value.n - 2);
	if (value.n == 1 && (value.p[0] == '8' || value.p[0] == '9'))
		return value.p[0] - '0';
	if (value.n == 2 && value.p[0] == '1' && value.p[1] >= '0' && value.p[1] <= '5')
		return 10 + value.p[1] - '0';
	return 0;
}

/* One parameter. `offer`: a client may say that it could take a limit, without saying which. */
static bool read_parameter(struct str text, bool offer, struct websocket_deflate *d)
{
	struct str value, name = str_trim(str_cut(text, '=', &value));
	bool bare = name.n == str_trim(text).n;

	value = str_trim(value);
	if (str_eq_nocase(name, STR("server_no_context_takeover")) && bare && !d->server_alone)
		d->server_alone = true;
	else if (str_eq_nocase(name, STR("client_no_context_takeover")) && bare && !d->client_alone)
		d->client_alone = true;
	else if (str_eq_nocase(name, STR("server_max_window_bits")) && !d->server_bits && bits_of(value))
		d->server_bits = bits_of(value);
	else if (str_eq_nocase(name, STR("client_max_window_bits")) && !d->client_bits &&
		 (bits_of(value) || (offer && bare)))
		d->client_bits = bits_of(value);
	else
		return false;
	return true;
}

static bool read_extension(struct str text, bool offer, struct websocket_deflate *d)
{
	*d = (struct websocket_deflate){ .on = true };
	if (!str_eq_nocase(cut_part(&text, ';'), STR(NAME)))
		return false;
	while (text.n)
		if (!read_parameter(cut_part(&text, ';'), offer, d))
			return false;
	return true;
}

bool websocket_agreed(const struct http_head *answer, struct websocket_deflate *out)
{
	*out = (struct websocket_deflate){ .on = false };
	for (size_t i = 0; i < answer->count; i++) {
		struct str left = answer->headers[i].value;

		if (!http_name_eq(answer->headers[i].name, STR("sec-websocket-extensions")))
			continue;
		while (left.n) {
			struct str one = cut_part(&left, ',');

			if (one.n && (out->on || !read_extension(one, false, out)))
				return false;
		}
	}
	return true;
}

void websocket_choose(const struct http_head *request, struct websocket_deflate *out)
{
	for (size_t i = 0; i < request->count; i++) {
		struct str left = request->headers[i].value;

		if (!http_name_eq(request->headers[i].name, STR("sec-websocket-extensions")))
			continue;
		while (left.n) {
			/* zlib cannot pack with a window of 8 bits */
			if (read_extension(cut_part(&left, ','), true, out) && out->server_bits != 8)
				return;
		}
	}
	*out = (struct websocket_deflate){ .on = false };
}

void websocket_add_extensions(struct buf *out, const struct websocket_deflate *d)
{
	if (!d->on)
		return;
	buf_add_str(out, STR(NAME));
	if (d->server_alone)
		buf_add_str(out, STR("; server_no_context_takeover"));
	if (d->client_alone)
		buf_add_str(out, STR("; client_no_context_takeover"));
	if (d->server_bits)
		buf_printf(out, "; server_max_window_bits=%d", d->server_bits);
	if (d->client_bits)
		buf_printf(out, "; client_max_window_bits=%d", d->client_bits);
}
