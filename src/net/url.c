#include "net/url.h"

#include <arpa/inet.h>

#include "base/ascii.h"
#include "base/crypto/base64.h"
#include "base/crypto/hex.h"

#define RIGHT "as in http://127.0.0.1:8080 or https://api.example.com/v1"
#define RIGHT_IPV6 "as in http://[::1]:8080"

enum { HOST_MAX = 253 }; /* of a name, by DNS */

/* The text is never shown whole in a message: it may hold a password. */
static bool url_check_bytes(struct str text, struct err *err)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == ' ')
			return err_set(err, ERR_USAGE, "an address has no spaces (one inside a path is %%20), " RIGHT);
		if (c < 0x20 || c == 0x7F)
			return err_set(err, ERR_USAGE, "an address has no control characters (byte %zu is one), " RIGHT,
				       i + 1);
		if (c > 0x7F)
			return err_set(err, ERR_USAGE,
				       "an address is ASCII: other characters are percent-encoded in a path and "
				       "written as xn--... in a host, " RIGHT);
		if (strchr("\\<>\"^`{|}", c))
			return err_set(err, ERR_USAGE, "an address has no %c (it is percent-encoded), " RIGHT, c);
	}
	return true;
}

/* Takes "http://" or "https://" from the front of *text. */
static bool cut_scheme(struct str *text, struct url *u, struct err *err)
{
	size_t n = str_find(*text, STR("://"));
	struct str scheme = n == (size_t)-1 ? str_of(NULL, 0) : str_of(text->p, n);

	for (size_t i = 0; i < scheme.n; i++)
		if (!ascii_is_alnum(scheme.p[i]) && !strchr("+-.", scheme.p[i]))
			scheme.n = 0; /* a path or a query with an address in it */
	if (scheme.n == 0)
		return err_set(err, ERR_USAGE, "an address begins with http:// or https://, " RIGHT);
	u->tls = scheme.n == 5;
	if (!str_eq_nocase(scheme, STR("http")) && !str_eq_nocase(scheme, STR("https")))
		return err_set(err, ERR_USAGE, "%.*s:// is not supported, only http:// and https://, " RIGHT,
			       STR_ARG(scheme));
	*text = str_skip(*text, n + 3);
	return true;
}

/* What stands before the first of these bytes; *text keeps the rest, with that byte. */
static struct str cut_at_any(struct str *text, const char *bytes)
{
	struct str before = { text->p, 0 };

	while (before.n < text->n && !strchr(bytes, text->p[before.n]))
		before.n++;
	*text = str_skip(*text, before.n);
	return before;
}

/* Digits, 1 to 65535. The loop ends early on a large number, so it cannot overflow. */
static bool read_port(struct url *u, struct str text, struct err *err)
{
	unsigned port = 0;

	for (size_t i = 0; i < text.n && port <= UINT16_MAX; i++) {
		if (!ascii_is_digit(text.p[i]))
			return err_set(err, ERR_USAGE,
				       "'%.*s' is not a port: a port is a number from 1 to 65535, " RIGHT,
				       STR_ARG(text));
		port = port * 10 + (unsigned)(text.p[i] - '0');
	}
	if (text.n == 0)
		return err_set(err, ERR_USAGE, "the port after the colon is missing, " RIGHT);
	if (port == 0 || port > UINT16_MAX)
		return err_set(err, ERR_USAGE, "%.*s is not a port: a port is a number from 1 to 65535, " RIGHT,
			       STR_ARG(text));
	u->port = (uint16_t)port;
	return true;
}

static bool read_name(struct arena *a, struct str name, struct url *u, struct err *err)
{
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_alnum(name.p[i]) && !strchr("-._~", name.p[i]))
			return err_set(err, ERR_USAGE, "'%.*s' is not a host name: it has a '%c', " RIGHT,
				       STR_ARG(name), name.p[i]);
	if (name.n > HOST_MAX)
		return err_set(err, ERR_USAGE, "a host name has at most %d characters, this one %zu", HOST_MAX, name.n);
	u->host = arena_copy(a, name);
	return true;
}

static bool read_address(struct arena *a, struct str address, struct url *u, struct err *err)
{
	struct in6_addr parsed;

	u->host = arena_copy(a, address);
	if (inet_pton(AF_INET6, u->host.p, &parsed) != 1)
		return err_set(err, ERR_USAGE, "'%.*s' is not an IPv6 address, " RIGHT_IPV6, STR_ARG(address));
	return true;
}

/* host, [address]; with or without :port. */
static bool read_host(struct arena *a, struct str text, struct url *u, struct err *err)
{
	bool brackets = text.n && text.p[0] == '[';
	struct str host = cut_at_any(&text, brackets ? "]" : ":");

	u->port = u->tls ? 443 : 80;
	if (brackets) {
		if (text.n == 0)
			return err_set(err, ERR_USAGE, "the bracket of an IPv6 address is not closed, " RIGHT_IPV6);
		text = str_skip(text, 1);
		if (!read_address(a, str_skip(host, 1), u, err))
			return false;
		if (text.n && text.p[0] != ':')
			return err_set(err, ERR_USAGE, "only a port may follow an IPv6 address, " RIGHT_IPV6);
	} else {
		if (text.n && memchr(text.p + 1, ':', text.n - 1))
			return err_set(err, ERR_USAGE, "an IPv6 address stands in brackets, " RIGHT_IPV6);
		if (host.n == 0)
			return err_set(err, ERR_USAGE, "the host is missing, " RIGHT);
		if (!read_name(a, host, u, err))
			return false;
	}
	if (text.n && !read_port(u, str_skip(text, 1), err))
		return false;
	u->authority = arena_printf(a, brackets ? "[%s]" : "%s", u->host.p);
	if (u->port != (u->tls ? 443 : 80))
		u->authority = arena_printf(a, "%s:%u", u->authority.p, u->port);
	return true;
}

bool url_parse(struct arena *a, struct str text, struct url *out, struct err *err)
{
	struct url u = { .tls = false };
	struct str authority, path;
	const char *at;

	if (!url_check_bytes(text, err) || !cut_scheme(&text, &u, err))
		return false;
	authority = cut_at_any(&text, "/?#");
	at = memchr(authority.p, '@', authority.n);
	if (at) {
		u.user = arena_copy(a, str_of(authority.p, (size_t)(at - authority.p)));
		authority = str_of(at + 1, authority.n - u.user.n - 1);
	}
	if (memchr(authority.p, '@', authority.n))
		return err_set(err, ERR_USAGE, "an address has one @ before the host (one inside a password is %%40)");
	if (!read_host(a, authority, &u, err))
		return false;
	path = cut_at_any(&text, "?#");
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	u.path = arena_copy(a, path);
	if (text.n && text.p[0] == '?') {
		text = str_skip(text, 1);
		u.query = arena_copy(a, cut_at_any(&text, "#"));
	}
	*out = u;
	return true;
}

struct str url_format(struct arena *a, const struct url *u)
{
	return ARENA_JOIN(a, u->tls ? STR("https://") : STR("http://"), u->authority, u->path);
}

struct str url_authorization(struct arena *a, const struct url *u)
{
	struct str user = u->user;
	struct buf plain, out;

	if (!user.p)
		return user;
	buf_init(&plain);
	buf_init(&out);
	for (size_t i = 0; i < user.n; i++) {
		int high = user.p[i] == '%' && i + 2 < user.n ? hex_value(user.p[i + 1]) : -1;
		int low = high >= 0 ? hex_value(user.p[i + 2]) : -1;

		buf_add_byte(&plain, low >= 0 ? (char)(high * 16 + low) : user.p[i]);
		i += low >= 0 ? 2 : 0;
	}
	if (str_count(buf_str(&plain), ':') == 0)
		buf_add_byte(&plain, ':'); /* a user without a password */
	buf_add_str(&out, STR("Basic "));
	base64_add(&out, buf_str(&plain));
	buf_free(&plain);
	return arena_take(a, &out);
}
