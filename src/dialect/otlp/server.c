/* Takes an endpoint apart into server and path for a span, and puts it together again. */
#include "dialect/otlp/server.h"

#include "base/ascii.h"
#include "base/num.h"
#include "dialect/otlp/names.h"
#include "dialect/otlp/put.h"

/* The length of what stands before the first of these characters. */
static size_t server_span(struct str s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && !ascii_is_one_of(s.p[n], stops))
		n++;
	return n;
}

/* 0 for a scheme that has none we know. */
static uint16_t server_usual_port(struct str scheme)
{
	return str_eq(scheme, STR("https")) ? 443 : str_eq(scheme, STR("http")) ? 80 : 0;
}

/* What a name, an IPv4 or an IPv6 address is made of. */
static bool server_is_address(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool plain = ascii_is_alnum(c);

		if (!plain && !ascii_is_one_of(c, ".-_:%"))
			return false;
	}
	return s.n > 0 && s.n < 256 && !str_eq(s, STR("unknown"));
}

/* False, with *port as it was, for anything but 1 to 65535. */
static bool server_port(struct str digits, uint16_t *port)
{
	uint64_t n;

	if (!num_parse_u64(digits, &n) || n == 0 || n > UINT16_MAX)
		return false;
	*port = (uint16_t)n;
	return true;
}

/* host, host:port, [::1], [::1]:port, ::1 */
static bool server_split_host(struct str host, struct otlp_server *out)
{
	struct str port = { NULL, 0 };
	size_t at = server_span(host, ":");

	out->address = host;
	if (host.n && host.p[0] == '[') {
		size_t end = server_span(host, "]");

		if (end == host.n)
			return false;
		out->address = str_of(host.p + 1, end - 1);
		host = str_of(host.p + end + 1, host.n - end - 1);
		if (host.n && host.p[0] != ':')
			return false;
		port = host.n ? str_of(host.p + 1, host.n - 1) : port;
	} else if (at < host.n && !memchr(host.p + at + 1, ':', host.n - at - 1)) {
		out->address = str_of(host.p, at);
		port = str_of(host.p + at + 1, host.n - at - 1);
	}
	if (port.n && !server_port(port, &out->port))
		return false;
	return server_is_address(out->address);
}

bool otlp_server_split(struct str endpoint, struct otlp_server *out)
{
	struct str text = str_trim(endpoint), host;
	size_t scheme = str_find(text, STR("://")), user = 0;

	*out = (struct otlp_server){ .port = 0 };
	if (scheme != (size_t)-1) {
		out->scheme = str_of(text.p, scheme);
		text = str_of(text.p + scheme + 3, text.n - scheme - 3);
		out->port = server_usual_port(out->scheme);
	}
	text = str_of(text.p, server_span(text, "?#"));
	host = str_of(text.p, server_span(text, "/\\"));
	out->path = str_skip(text, host.n);
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] == '@')
			user = i + 1;
	return server_split_host(str_skip(host, user), out);
}

bool otlp_server_put(struct buf *out, struct str endpoint)
{
	struct otlp_server s;

	if (!otlp_server_split(endpoint, &s))
		return endpoint.n == 0 || str_eq(endpoint, STR("unknown"));
	otlp_put_text(out, OTLP_RELEASED(ADDRESS), s.address);
	if (s.port)
		otlp_put_count(out, OTLP_RELEASED(PORT), FIGURE(s.port));
	otlp_put_text(out, STR("trackway.endpoint.scheme"), s.scheme);
	otlp_put_text(out, STR("trackway.endpoint.path"), s.path.n ? s.path : str_of(NULL, 0));
	return true;
}

void otlp_server_join(struct buf *out, const struct otlp_server *s)
{
	bool bare = !memchr(s->address.p, ':', s->address.n);

	if (s->scheme.p) {
		buf_add_str(out, s->scheme);
		buf_add_str(out, STR("://"));
	}
	buf_add_str(out, bare ? STR("") : STR("["));
	buf_add_str(out, s->address);
	buf_add_str(out, bare ? STR("") : STR("]"));
	if (s->port && (!s->scheme.p || s->port != server_usual_port(s->scheme)))
		buf_printf(out, ":%u", (unsigned)s->port);
	buf_add_str(out, s->path);
}
