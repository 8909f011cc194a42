/* Trials that are in the ledger already, for tests of what is said about them later. */
#ifndef UNIT_TRIAL_AMEND_KIT_H
#define UNIT_TRIAL_AMEND_KIT_H

#include "trial/amend.h"
#include "trial_kit.h"

/* Seals a record with its artifacts and publishes. */
static inline struct amend_target amend_kit_seal(struct kit *k, struct str record, const struct seal_artifact *artifacts,
						 size_t count)
{
	struct kit_told *told = test_alloc(sizeof(*told));
	struct seal_options o = { .ledger = &k->ledger, .each = kit_tell, .context = told };
	struct err err = { .kind = ERR_NONE };
	struct sealer *s = sealer_open(&o);

	told->kit = k;
	kit_must(seal_add(s, STR("it"), record, artifacts, count, NULL, &err) && seal_commit(s, &err) &&
			 ledger_publish(&k->ledger, &err), &err);
	sealer_close(s);
	CHECK_INT(told->results[0].outcome, SEAL_ADDED);
	return (struct amend_target){
		.part = told->results[0].part, .index = told->results[0].index, .leaf = told->results[0].leaf,
		.experiment = STR("e-1"), .trial_id = told->results[0].trial_id,
	};
}

#endif
