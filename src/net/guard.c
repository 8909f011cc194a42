/* Compares Host and Origin of a request with what a server of this machine takes. */
#include "net/guard.h"

#include <arpa/inet.h>

#include "base/ascii.h"

enum { ADDRESS_MOST = 64 };

/* "name:port" or "[address]:port" as their parts; the port's p is NULL when there is none. */
static struct str host_cut(struct str host, struct str *port)
{
	size_t end = 0;

	*port = str_of(NULL, 0);
	if (host.n && host.p[0] == '[')
		while (end < host.n && host.p[end] != ']')
			end++;
	while (end < host.n && host.p[end] != ':')
		end++;
	if (end < host.n)
		*port = str_skip(host, end + 1);
	return str_of(host.p, end);
}

/* The number of a port, 80 when there is none; 0 for what is no port. */
static uint32_t port_number(struct str text)
{
	uint32_t n = 0;

	if (!text.p)
		return 80;
	for (size_t i = 0; i < text.n; i++) {
		if (!ascii_is_digit(text.p[i]) || i == 5)
			return 0;
		n = n * 10 + (uint32_t)(text.p[i] - '0');
	}
	return n > UINT16_MAX ? 0 : n;
}

/* An address of IPv4, or one of IPv6 with its brackets or without. */
static bool is_address(struct str name, bool *loopback)
{
	unsigned char room[16];
	char text[ADDRESS_MOST];
	bool brackets = name.n > 2 && name.p[0] == '[' && name.p[name.n - 1] == ']';

	if (brackets)
		name = str_of(name.p + 1, name.n - 2);
	if (name.n == 0 || name.n >= sizeof(text))
		return false;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	if (!brackets && inet_pton(AF_INET, text, room) == 1) {
		*loopback = room[0] == 127;
		return true;
	}
	*loopback = str_eq(name, STR("::1"));
	return inet_pton(AF_INET6, text, room) == 1;
}

/* The three names of loopback; the address listened on; and beyond loopback any address. */
static bool is_own_host(struct str address, uint16_t port, struct str host)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	struct str text, name = host_cut(host, &text);
	bool loopback = true, ours = true;

	if (port_number(text) != port)
		return false;
	for (size_t i = 0; i < COUNT(names); i++)
		if (http_name_eq(name, str_from(names[i])))
			return true;
	if (!address.p)
		return false;
	is_address(address, &ours);
	if (name.n == address.n + 2 && name.p[0] == '[')
		name = str_of(name.p + 1, name.n - 2);
	return str_eq(name, address) || (!ours && is_address(name, &loopback));
}

static bool is_allowed_host(const struct guard *g, struct str host)
{
	struct str port, name = host_cut(host, &port);

	for (size_t i = 0; i < g->host_count; i++)
		if (http_name_eq(g->hosts[i], host) || http_name_eq(g->hosts[i], name))
			return true;
	return false;
}

/* Browsers send an Origin with all that changes something or is read by a script, and tell where the rest is from. */
static bool is_page(const struct guard *g, const struct http_head *h)
{
	struct str site, origin = http_find(h, STR("origin"));

	for (size_t i = 0; origin.p && i < g->origin_count; i++)
		if (http_name_eq(g->origins[i], origin))
			return false;
	if (origin.p)
		return true;
	site = http_find(h, STR("sec-fetch-site"));
	return http_name_eq(site, STR("cross-site")) || http_name_eq(site, STR("same-site"));
}

bool guard_is_own(const struct guard *g, struct str address, uint16_t port, struct str host)
{
	return is_own_host(address, port, host) || is_allowed_host(g, host);
}

bool guard_admits(const struct guard *g, struct str address, uint16_t port, const struct http_head *h, const char **why)
{
	struct str host;

	if (g->open)
		return true;
	host = http_find(h, STR("host"));
	/* HTTP/1.0 may have none; no browser speaks it */
	if (host.p && !guard_is_own(g, address, port, host)) {
		*why = "the Host of this request is not one of this server's own, which are 127.0.0.1, localhost and "
		       "[::1] with its port; others must be allowed when it is started";
		return false;
	}
	if (is_page(g, h)) {
		*why = "this request comes from a web page (it has an Origin), and pages must be allowed when the "
		       "server is started";
		return false;
	}
	return true;
}

/* ---- what users give ---- */

static bool has_only(struct str text, const char *marks)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (!ascii_is_alnum(c) && !ascii_is_one_of(c, marks))
			return false;
	}
	return text.n > 0;
}

bool guard_check_host(struct str host, struct err *err)
{
	struct str port, name = host_cut(host, &port);

	if (has_only(name, "-._[]:") && port_number(port) != 0)
		return true;
	return err_set(err, ERR_USAGE, "'%.*s' is not a host as requests name it" ERR_HELP
		       "a name or an address, with a port or without: host.docker.internal, 192.168.1.5:8080",
		       STR_ARG(host));
}

bool guard_check_origin(struct str origin, struct err *err)
{
	size_t at = str_find(origin, STR("://"));

	if (str_eq(origin, STR("null")))
		return true;
	if (at != (size_t)-1 && has_only(str_of(origin.p, at), "+-.") &&
	    has_only(str_skip(origin, at + 3), "-._[]:"))
		return true;
	return err_set(err, ERR_USAGE, "'%.*s' is not the origin of a web page" ERR_HELP
		       "scheme, host and port, without a path: https://app.example.com, http://localhost:3000",
		       STR_ARG(origin));
}
