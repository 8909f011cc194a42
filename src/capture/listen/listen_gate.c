/* Digests are compared, not texts: how long that takes says nothing of where they differ. */
#include "capture/listen/listen_gate.h"

#include "base/ascii.h"
#include "base/crypto/hmac.h"
#include "base/seed.h"

void listen_gate_init(struct listen_gate *g, struct str token)
{
	*g = (struct listen_gate){ .asks = token.p != NULL };
	if (!g->asks)
		return;
	seed_random(g->key, sizeof(g->key));
	g->token = hmac_of(str_of(g->key, sizeof(g->key)), token);
}

bool listen_gate_is_token(struct str token)
{
	for (size_t i = 0; i < token.n; i++)
		if (!ascii_is_alnum(token.p[i]) && !ascii_is_one_of(token.p[i], "-._~"))
			return false;
	return token.n >= LISTEN_GATE_LEAST;
}

static bool is_right(const struct listen_gate *g, struct str token)
{
	return token.n && hmac_is_same(hmac_of(str_of(g->key, sizeof(g->key)), token), g->token);
}

bool listen_gate_admits(const struct listen_gate *g, const struct http_head *h, struct str *target)
{
	struct str begins = STR("/t/"), token, rest;

	*target = h->target;
	if (!g->asks)
		return true;
	if (str_starts(h->target, begins)) {
		token = str_cut(str_skip(h->target, begins.n), '/', &rest);
		if (is_right(g, token)) {
			*target = str_skip(h->target, begins.n + token.n);
			if (!target->n)
				*target = STR("/");
			return true;
		}
	}
	return is_right(g, http_find(h, STR("x-trackway-token")));
}
