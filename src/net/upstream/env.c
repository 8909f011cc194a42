#include "net/upstream/env.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "base/ascii.h"

static const char *value_of(const char *lower, const char *upper, const char **variable)
{
	const char *value = getenv(lower);

	*variable = lower;
	if (!value || !*value) {
		value = getenv(upper);
		*variable = upper;
	}
	return value && *value ? value : NULL;
}

/* ---- which hosts need none ---- */

static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff }; /* before an IPv4 address */

/* 16 bytes; IPv4 as IPv6 has it, so that both are compared alike. False: a name. */
static bool read_bytes(struct str text, unsigned char out[16])
{
	char copy[INET6_ADDRSTRLEN];

	if (text.n >= sizeof(copy))
		return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	memcpy(out, mapped, sizeof(mapped));
	return inet_pton(AF_INET, copy, out + 12) == 1 || inet_pton(AF_INET6, copy, out) == 1;
}

static bool is_this_machine(struct str host)
{
	static const unsigned char loopback[16] = { [15] = 1 };
	unsigned char bytes[16];

	if (str_eq_nocase(host, STR("localhost")))
		return true;
	return read_bytes(host, bytes) &&
	       (memcmp(bytes, loopback, 16) == 0 || (memcmp(bytes, mapped, 12) == 0 && bytes[12] == 127));
}

/* A number up to `most`, alone. */
static bool read_small(struct str text, unsigned most, unsigned *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!ascii_is_digit(text.p[i]) || (n = n * 10 + (unsigned)(text.p[i] - '0')) > most)
			return false;
	}
	*out = n;
	return text.n > 0;
}

/* "10.0.0.0/8", "fd00::/8": whether the host is an address in it. */
static bool is_in_network(struct str entry, struct str host)
{
	struct str bits, network = str_cut(entry, '/', &bits);
	bool v4 = str_count(network, ':') == 0;
	unsigned char a[16], b[16];
	unsigned n;

	if (!read_bytes(network, a) || !read_bytes(host, b) || !read_small(bits, v4 ? 32 : 128, &n))
		return false;
	n += v4 ? 96 : 0;
	if (memcmp(a, b, n / 8) != 0)
		return false;
	return n % 8 == 0 || (a[n / 8] ^ b[n / 8]) >> (8 - n % 8) == 0;
}

/* "example.com", ".example.com" and "*.example.com" name the host and all below it. */
static bool covers(struct str entry, struct str host)
{
	unsigned char a[16], b[16];

	if (read_bytes(host, b))
		return read_bytes(entry, a) && memcmp(a, b, 16) == 0;
	if (str_starts(entry, STR("*.")))
		entry = str_skip(entry, 1);
	if (str_starts(entry, STR(".")))
		entry = str_skip(entry, 1);
	if (entry.n == 0 || entry.n > host.n)
		return false;
	if (!str_eq_nocase(entry, str_of(host.p + host.n - entry.n, entry.n)))
		return false;
	return entry.n == host.n || host.p[host.n - entry.n - 1] == '.';
}

/* Takes ":port" from the end, and the brackets of an IPv6 address. False: it is for another port. */
static bool cut_port(struct str *entry, uint16_t port)
{
	size_t at = entry->n;
	unsigned n;

	while (at && entry->p[at - 1] != ':')
		at--;
	if (at && (entry->p[0] == '[' ? entry->p[at - 2] == ']' : str_count(*entry, ':') == 1)) {
		if (!read_small(str_skip(*entry, at), UINT16_MAX, &n) || n != port)
			return false;
		entry->n = at - 1;
	}
	if (entry->n > 2 && entry->p[0] == '[' && entry->p[entry->n - 1] == ']')
		*entry = str_of(entry->p + 1, entry->n - 2);
	return true;
}

static bool is_exempt(struct str list, const struct url *url)
{
	struct str host = url->host;

	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	while (list.n) {
		struct str entry = str_trim(str_cut(list, ',', &list));

		if (str_eq(entry, STR("*")))
			return true;
		if (str_count(entry, '/') ? is_in_network(entry, host)
					  : cut_port(&entry, url->port) && covers(entry, host))
			return true;
	}
	return false;
}

const char *upstream_env_proxy(const struct url *url, const char **variable)
{
	const char *ignored, *proxy = url->tls ? value_of("https_proxy", "HTTPS_PROXY", variable)
					       : value_of("http_proxy", "HTTP_PROXY", variable);

	if (!proxy)
		proxy = value_of("all_proxy", "ALL_PROXY", variable);
	if (!proxy || is_this_machine(url->host))
		return NULL;
	return is_exempt(str_from(value_of("no_proxy", "NO_PROXY", &ignored)), url) ? NULL : proxy;
}

bool upstream_env_has_proxy(void)
{
	const char *ignored;

	return value_of("http_proxy", "HTTP_PROXY", &ignored) || value_of("https_proxy", "HTTPS_PROXY", &ignored) ||
	       value_of("all_proxy", "ALL_PROXY", &ignored);
}

/* ---- what a variable says ---- */

void upstream_env_parse(struct arena *a, const char *value, const char *variable, struct upproxy *out)
{
	struct str text = str_trim(str_from(value));
	struct err err;

	*out = (struct upproxy){ .value = arena_copy(a, str_from(value)), .variable = variable };
	if (str_starts(text, STR("socks"))) {
		out->why = arena_printf(a, "%s names a SOCKS proxy, which is not supported: use an http:// or https:// "
					"proxy, or name the host in NO_PROXY", variable);
		return;
	}
	if (!str_has(text, STR("://")))
		text = arena_printf(a, "http://%.*s", STR_ARG(text));
	if (!url_parse(a, text, &out->url, &err)) {
		out->why = arena_printf(a, "%s does not name a proxy as in http://proxy.example:3128", variable);
		return;
	}
	out->authorization = url_authorization(a, &out->url);
}
