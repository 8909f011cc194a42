/*
 * What is known of the members of verifiers' and Prime's records, for the reader of their logs and for the importer of
 * their trials: which numbers of a rollout are columns of its own and which are metrics, what its example is called,
 * how the rewards of a trace add up.
 */
#ifndef DIALECT_VERIFIERS_FIELDS_H
#define DIALECT_VERIFIERS_FIELDS_H

#include "json/val.h"

/* Whether a member of a rollout is one of its own, so that its number is no metric. `key` is the member's key. */
bool verifiers_is_column(struct val key);

/* A line of traces.jsonl: an episode, or a trace alone. */
bool verifiers_is_episode(struct val line);

/* The number or name of the example that a rollout is of, however it is spelled; VAL_NONE when it has none. */
struct val verifiers_example(struct val rollout);

/* One reward: a score with a weight, or a number alone, whose weight is 1. False when it was not scored. */
bool verifiers_reward(struct val reward, double *score, double *weight);

/* The weighted sum of a trace's rewards. False when nothing was scored, or the sum is no number. */
bool verifiers_reward_sum(struct val rewards, double *sum);

#endif
