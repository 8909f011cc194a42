/* What the two formats of the SWE-agent family share: a run of one of them is read by one call. */
#ifndef DIALECT_SWE_AGENT_PRIVATE_H
#define DIALECT_SWE_AGENT_PRIVATE_H

#include "dialect/reading/reading.h"

/*
 * A run of mini-swe-agent: its object, or the bare list of messages of its first version. RUN_START to RUN_END; what no
 * event holds stays with RUN_START.
 */
void swe_agent_read_mini(struct reading *r, struct val root);

/* Whether it is one: 0 to 100, as a dialect's fits. */
int swe_agent_fits_mini(struct val root);

/* The COST of a run by its model_stats, added when they tell something; a model that counts nothing tells zeros. */
void swe_agent_read_stats(struct reading *r, struct val stats);

/* How a run ended, by the vendor's word for it. Only what was submitted by the agent itself is a success. */
enum run_status swe_agent_status(struct str exit_status);

/* A CALL of a shell with this command, which the log tells as a text. It is good until the next event is added. */
struct event *swe_agent_add_command(struct reading *r, struct str tool, struct str command);

/* Takes a text that stands in another place too; what says something else is left. */
void swe_agent_take_same(struct reading *r, struct val v, struct str text);

#endif
