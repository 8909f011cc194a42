/*
 * What a trial asked of models, read from the recorder's cassette: tokens and costs, those of an advisor apart, and
 * whether a service failed to the end. What is not known is not 0: one answer without counts makes the sum unknown.
 */
#ifndef TRIAL_RUN_CALLS_H
#define TRIAL_RUN_CALLS_H

#include "base/err.h"
#include "transform/price.h"

/* A sum of which a part may be missing. */
struct calls_sum {
	bool unknown;
	uint64_t n;
};

struct calls {
	uint64_t agent, advisor, failed; /* requests; failed: of those without an answer of a model */
	struct calls_sum tokens_in, tokens_out, cache_read, cache_write; /* of the agent; in has the cached ones */
	struct calls_sum advisor_in, advisor_out;
	bool no_price;
	double usd;                       /* of both; means nothing with no_price */
	struct str price_table;           /* digest of the prices; lasts as they do */
	struct str *models;               /* that answered the agent, each once, in the order of their first answers */
	size_t model_count, model_cap;
	bool waited;                      /* the last one had no whole answer when whoever asked was gone */
	struct str failure;               /* how the service failed at the last request; p NULL: it did not */
};

/*
 * Reads it. `advisor` is the name of the model whose calls are counted apart; p NULL: only those with the header
 * X-Trackway-Role: advisor are. Texts live in the arena. False and *err when there is no such file, or it is damaged.
 */
bool calls_read(struct arena *a, struct str cassette, struct str advisor, const struct prices *prices,
		struct calls *out, struct err *err);

#endif
