/* One entry for each host and port, in a list: an agent asks for few. */
#include "net/proxy_gate.h"

#include <openssl/ssl.h>

struct gate_host {
	struct proxy_host seen; /* first: it is what others see of it */
	struct gate_host *next;
	struct authority *authority;
	struct tls_context *x; /* NULL: nobody needed it */
};

void gate_init(struct proxy_gate *g, struct authority *authority)
{
	*g = (struct proxy_gate){ .authority = authority };
	arena_init(&g->arena);
}

void gate_free(struct proxy_gate *g)
{
	for (struct gate_host *h = g->first; h; h = h->next)
		tls_context_close(h->x);
	arena_free(&g->arena);
}

bool gate_read_authority(struct arena *a, struct str text, struct url *out)
{
	struct err err;

	return url_parse(a, ARENA_JOIN(a, STR("https://"), text), out, &err);
}

struct gate_host *gate_find(struct proxy_gate *g, const struct url *url)
{
	struct gate_host *h = g->first;

	while (h && (h->seen.url.port != url->port || !str_eq_nocase(h->seen.url.host, url->host)))
		h = h->next;
	if (h || g->count == GATE_HOSTS)
		return h;
	h = arena_new(&g->arena, struct gate_host);
	h->seen.url = (struct url){
		.tls = url->tls,
		.port = url->port,
		.host = arena_copy(&g->arena, url->host),
		.authority = arena_copy(&g->arena, url->authority),
	};
	h->authority = g->authority;
	h->next = g->first;
	h->seen.next = g->first ? &g->first->seen : NULL;
	g->first = h;
	g->count++;
	return h;
}

const struct url *gate_url(const struct gate_host *h)
{
	return &h->seen.url;
}

const struct proxy_host *gate_hosts(const struct proxy_gate *g)
{
	return g->first ? &g->first->seen : NULL;
}

bool gate_enters(const struct gate_host *h, enum proxy_entry entry)
{
	bool unwanted = h->seen.distrust + h->seen.foreign > 0 && h->seen.entered == 0;

	return h->authority && (entry == PROXY_ENTER_ALWAYS || (entry == PROXY_ENTER && !unwanted));
}

/* The certificate is that of the host CONNECT named, whatever name the handshake has: clients compare it with that. */
static bool gate_choose(void *own, SSL *ssl, struct str name)
{
	struct gate_host *h = own;
	X509 *leaf = authority_leaf(h->authority, h->seen.url.host);

	(void)name;
	return leaf && SSL_use_certificate(ssl, leaf) == 1 &&
	       SSL_use_PrivateKey(ssl, authority_key(h->authority)) == 1;
}

struct tls_context *gate_context(struct gate_host *h)
{
	if (!h->x)
		h->x = tls_context_server(gate_choose, h);
	return h->x;
}

void gate_count_passed(struct gate_host *h)
{
	if (h)
		h->seen.passed++;
}

void gate_count_handshake(struct gate_host *h, const struct tls *t)
{
	if (t && tls_is_ready(t))
		h->seen.entered++;
	else if (t && tls_fault(t) == TLS_FAULT_DISTRUST)
		h->seen.distrust++;
	else if (t && tls_fault(t) == TLS_FAULT_PROTOCOL)
		h->seen.foreign++;
	else
		h->seen.broken++;
}
