/* Records and reviews to numbers. The runner's own members are read if they are there and of the right type. */
#include <math.h>

#include "base/clock.h"
#include "trial/report/private.h"

static const char *const facts_classes[CLASS_COUNT] = {
	[CLASS_COMPLETED] = "completed",          [CLASS_AGENT_FAILED] = "agent_failed",
	[CLASS_AGENT_TIMEOUT] = "agent_timeout",  [CLASS_VERIFIER_FAILED] = "verifier_failed",
	[CLASS_INFRASTRUCTURE] = "infrastructure",
};

const char *trial_class_word(enum trial_class c)
{
	return facts_classes[c];
}

/* The place of the word in the list, which may have gaps; `other` when it is none of them. */
static uint8_t facts_word(struct val v, const char *const *words, size_t count, uint8_t other)
{
	for (size_t i = 0; i < count; i++)
		if (words[i] && val_text_is(v, str_from(words[i])))
			return (uint8_t)i;
	return other;
}

static void facts_set_name(struct tally *t, struct arena *work, struct trial_fact *out, enum trial_name which,
			   struct val object, struct str member)
{
	out->names[which] = tally_number(t, val_get_text(object, member, work));
}

static void facts_read_figures(struct val cost, struct val timing, struct trial_fact *out)
{
	static const char *const members[FIGURE_COUNT] = {
		[FIGURE_USD] = "estimated_cost_usd",          [FIGURE_TOKENS_IN] = "tokens_in",
		[FIGURE_TOKENS_OUT] = "tokens_out",           [FIGURE_TOKENS_CACHED] = "cache_read_tokens",
		[FIGURE_ADVISOR_CALLS] = "advisor_calls",     [FIGURE_ADVISOR_IN] = "advisor_input_tokens",
		[FIGURE_ADVISOR_OUT] = "advisor_output_tokens",
	};

	for (int i = 0; i < FIGURE_COUNT; i++) {
		struct val v = i == FIGURE_SECONDS ? val_get(timing, STR("total_seconds")) :
						      val_get(cost, str_from(members[i]));

		if (!val_double(v, &out->figures[i]) || !(out->figures[i] >= 0))
			out->figures[i] = NAN;
	}
}

static void facts_read_runner(struct tally *t, struct arena *work, struct val ours, struct trial_fact *out)
{
	struct val lock = val_get(ours, STR("lock"));

	out->class = facts_word(val_get(ours, STR("class")), facts_classes, CLASS_COUNT, CLASS_UNKNOWN);
	out->is_registered = !val_is_unset(val_get(ours, STR("plan_leaf")));
	out->findings = (uint32_t)val_count(val_get(ours, STR("findings")));
	out->denied = (uint32_t)val_count(val_get(ours, STR("denied")));
	facts_set_name(t, work, out, NAME_ISOLATION, ours, STR("isolation"));
	facts_set_name(t, work, out, NAME_REGRADE_OF, ours, STR("regrade_of"));
	facts_set_name(t, work, out, NAME_PRICES, ours, STR("price_table"));
	facts_set_name(t, work, out, NAME_VERIFIER, lock, STR("verifier_sha256"));
}

static void facts_read_verdict(struct val evaluation, struct trial_fact *out)
{
	struct val validity = val_get(evaluation, STR("validity"));

	out->has_reward = val_double(val_get(evaluation, STR("reward")), &out->reward);
	out->verifier_completed = val_is(val_get(validity, STR("verifier_completed")), JSON_TRUE);
	out->errors = (uint32_t)val_count(val_get(validity, STR("errors")));
}

void facts_read_trial(struct tally *t, struct arena *work, struct val root, struct trial_fact *out)
{
	struct val agent = val_get(root, STR("agent")), task = val_get(root, STR("task"));
	struct val result = val_get(val_get(root, STR("outputs")), STR("agent_result"));
	struct str when = val_get_text(root, STR("timestamp"), work);
	struct stamp stamp;

	facts_set_name(t, work, out, NAME_DATASET, root, STR("dataset_id"));
	facts_set_name(t, work, out, NAME_TASK, task, STR("task_id"));
	facts_set_name(t, work, out, NAME_REVISION, task, STR("task_revision"));
	facts_set_name(t, work, out, NAME_ADAPTER, agent, STR("adapter"));
	facts_set_name(t, work, out, NAME_ADAPTER_REVISION, agent, STR("adapter_revision"));
	facts_set_name(t, work, out, NAME_MODEL, agent, STR("model"));
	facts_read_runner(t, work, val_get(result, STR("trackway")), out);
	facts_read_verdict(val_get(root, STR("evaluation")), out);
	facts_read_figures(val_get(root, STR("cost")), val_get(root, STR("timing")), out);
	out->has_time = when.p && stamp_parse(when, &stamp);
	if (out->has_time)
		out->seconds_1970 = stamp.seconds;
	out->was_read = true;
}

void facts_read_review(struct tally *t, struct arena *work, struct val root, struct review_fact *out)
{
	static const char *const kinds[] = { "annotation", "adjudication", "feedback" };
	static const char *const judgments[] = { "pass", "fail", "defer" };

	out->kind = facts_word(val_get(root, STR("kind")), kinds, COUNT(kinds), REVIEW_OTHER);
	out->judgment = facts_word(val_get(root, STR("judgment")), judgments, COUNT(judgments), JUDGMENT_NONE);
	out->reviewer = tally_number(t, val_get_text(root, STR("reviewer_id"), work));
	out->discipline = tally_number(t, val_get_text(root, STR("reviewer_discipline"), work));
}
