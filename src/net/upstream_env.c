/* Which proxy the environment names for an address: the variables that curl and everybody else read. */
#include <arpa/inet.h>
#include <stdlib.h>

#include "net/upstream_private.h"

static const char *value_of(const char *lower, const char *upper)
{
	const char *value = getenv(lower);

	if (!value || !*value)
		value = getenv(upper);
	return value && *value ? value : NULL;
}

static bool is_this_machine(struct str host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (str_eq_nocase(host, STR("localhost")))
		return true;
	if (inet_pton(AF_INET, host.p, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host.p, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/* "example.com" and ".example.com" name the host and all below it. */
static bool covers(struct str entry, struct str host)
{
	if (str_starts(entry, STR(".")))
		entry = str_skip(entry, 1);
	if (entry.n == 0 || entry.n > host.n)
		return false;
	if (!str_eq_nocase(entry, str_of(host.p + host.n - entry.n, entry.n)))
		return false;
	return entry.n == host.n || host.p[host.n - entry.n - 1] == '.';
}

static bool is_exempt(struct str list, struct str host)
{
	while (list.n) {
		struct str entry = str_trim(str_cut(list, ',', &list));

		if (str_eq(entry, STR("*")) || covers(entry, host))
			return true;
	}
	return false;
}

const char *upstream_env_proxy(const struct url *url)
{
	const char *proxy = url->tls ? value_of("https_proxy", "HTTPS_PROXY") : value_of("http_proxy", "HTTP_PROXY");

	if (!proxy)
		proxy = value_of("all_proxy", "ALL_PROXY");
	if (!proxy || is_this_machine(url->host))
		return NULL;
	return is_exempt(str_from(value_of("no_proxy", "NO_PROXY")), url->host) ? NULL : proxy;
}

bool upstream_env_has_proxy(void)
{
	return value_of("http_proxy", "HTTP_PROXY") || value_of("https_proxy", "HTTPS_PROXY") ||
	       value_of("all_proxy", "ALL_PROXY");
}
