#include "dialect/verifiers/fields.h"

#include "dialect/record/field.h"
#include "dialect/values.h"

bool verifiers_is_column(struct val key)
{
	static const struct str names[] = {
		WORD("id"),         WORD("example_id"), WORD("exampleId"),      WORD("sample_id"),
		WORD("sampleId"),   WORD("reward"),     WORD("rollout_number"), WORD("rolloutNumber"),
		WORD("total_time"), WORD("latency_ms"), WORD("total_ms"),       WORD("generation_ms"),
		WORD("scoring_ms"), WORD("answer"),     WORD("task"),
	};

	return values_is_word(key, names, COUNT(names));
}

bool verifiers_is_episode(struct val line)
{
	return val_is(val_get(line, STR("traces")), JSON_ARRAY) || val_is(val_get(line, STR("nodes")), JSON_ARRAY);
}

struct val verifiers_example(struct val rollout)
{
	struct val v = val_get_either(rollout, STR("example_id"), STR("exampleId"));

	return val_is_none(v) ? val_get(rollout, STR("id")) : v;
}

bool verifiers_reward(struct val reward, double *score, double *weight)
{
	*weight = 1;
	if (val_double(reward, score)) /* a number alone */
		return true;
	if (!val_double(val_get(reward, STR("score")), score))
		return false;
	(void)val_double(val_get(reward, STR("weight")), weight);
	return true;
}

bool verifiers_reward_sum(struct val rewards, double *sum)
{
	struct val_iter it = val_begin(rewards);
	double score, weight;
	struct val key, value;
	bool any = false;

	*sum = 0;
	if (!val_is(rewards, JSON_OBJECT))
		return false;
	while (val_next_member(&it, &key, &value))
		if (verifiers_reward(value, &score, &weight)) {
			*sum += score * weight;
			any = true;
		}
	return any && *sum - *sum == 0; /* an overflow is no number */
}
