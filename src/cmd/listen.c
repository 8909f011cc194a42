/* Only addresses in digits are taken, and "localhost" stands for 127.0.0.1: no name is ever looked up. */
#include "cmd/listen.h"

#include <arpa/inet.h>

#include "base/num.h"

static bool is_address(const char *host)
{
	struct in6_addr any;

	return inet_pton(AF_INET, host, &any) == 1 || inet_pton(AF_INET6, host, &any) == 1;
}

/* The host and the port's text; false when they cannot be told apart. */
static bool split(struct str text, struct str *host, struct str *port)
{
	size_t at = text.n;

	while (at > 0 && text.p[at - 1] != ':')
		at--;
	*port = str_skip(text, at);
	*host = str_of(text.p, at ? at - 1 : 0);
	if (host->n >= 2 && host->p[0] == '[' && host->p[host->n - 1] == ']') {
		*host = str_of(host->p + 1, host->n - 2);
		return host->n > 0;
	}
	return host->n == 0 || !memchr(host->p, ':', host->n);
}

bool listen_parse(struct arena *a, struct str text, struct str *host, uint16_t *port, struct err *err)
{
	static const char help[] = "an address and a port, such as 127.0.0.1:8080 or [::1]:0; port 0 picks a free port";
	struct str name, digits;
	uint64_t number;

	if (!split(text, &name, &digits) || !num_parse_u64(digits, &number) || number > UINT16_MAX)
		return usage_set(err, help, "--listen cannot be '%.*s'", STR_ARG(text));
	if (name.n == 0 || str_eq(name, STR("localhost")))
		name = STR("127.0.0.1");
	name = arena_copy(a, name);
	if (!is_address(name.p) || strlen(name.p) != name.n)
		return usage_set(err, help, "--listen: '%.*s' is not an address", STR_ARG(name));
	*host = name;
	*port = (uint16_t)number;
	return true;
}

bool listen_guard(struct opt_list hosts, struct opt_list origins, struct guard *out, struct err *err)
{
	*out = (struct guard){
		.hosts = hosts.items,
		.host_count = hosts.count,
		.origins = origins.items,
		.origin_count = origins.count,
	};
	for (size_t i = 0; i < hosts.count; i++)
		if (!guard_check_host(hosts.items[i], err))
			return err_context(err, "--allow-host");
	for (size_t i = 0; i < origins.count; i++)
		if (!guard_check_origin(origins.items[i], err))
			return err_context(err, "--allow-origin");
	return true;
}

struct str listen_url(struct arena *a, struct str host, uint16_t port)
{
	bool wide = host.n && memchr(host.p, ':', host.n);

	return arena_printf(a, "http://%s%.*s%s:%u", wide ? "[" : "", STR_ARG(host), wide ? "]" : "", (unsigned)port);
}
