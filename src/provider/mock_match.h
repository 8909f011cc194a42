/*
 * Which rule of a script answers a request: the first one that fits. Every rule counts the requests it would fit but
 * for its nth, whichever rule answered them; so two rules that differ in nth alone are two turns of one conversation.
 */
#ifndef PROVIDER_MOCK_MATCH_H
#define PROVIDER_MOCK_MATCH_H

#include "provider/mock_request.h"
#include "provider/mock_script.h"

struct mock_matcher {
	const struct mock_script *script; /* must live as long */
	uint64_t *fitted;                 /* for each rule: requests so far */
};

/* Counts of all rules at zero; they live in the arena. */
void mock_matcher_init(struct mock_matcher *m, struct arena *a, const struct mock_script *script);

/*
 * The rule, which lives as long as the script; NULL when none fits. Counts the request, so it is called once for each.
 */
const struct mock_rule *mock_match(struct mock_matcher *m, const struct mock_request *q);

#endif
