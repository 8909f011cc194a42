/*
 * What reviewers said of each trial. A reviewer has one annotation of a trial: the last one sealed. To defer is to say
 * nothing yet: it is no judgment, so it neither agrees nor disagrees. Two annotations that judge differently are a
 * disagreement, which is open until an adjudication that was sealed after both says pass or fail: nobody decides about
 * what is not there yet.
 */
#ifndef TRIAL_REPORT_JUDGED_H
#define TRIAL_REPORT_JUDGED_H

#include "trial/report/tally.h"

struct judged {
	uint32_t first, count; /* its annotations: places in struct judging.annotations, one for each reviewer */
	uint32_t judging;      /* of these, those that do not defer */
	uint32_t pass, fail;
	uint32_t replaced;     /* annotations with a later one of the same reviewer */
	uint32_t adjudications, feedback;
	bool is_disputed;      /* there are both */
	bool is_adjudicated;
	uint64_t passed_at, failed_at; /* entries since when somebody has said it and has not changed it; 0: none */
	uint64_t adjudicated_at; /* entry of the last adjudication that says pass or fail; 0: none */
	uint8_t verdict;       /* the last adjudication's, else what all annotations agree on, else JUDGMENT_NONE */
};

struct judging {
	struct judged *trials; /* for each of the tally's */
	size_t count;
	struct review_fact *annotations; /* by trial, then by the reviewer's name */
	size_t annotation_count;
};

/* Of all reviews of the tally, in its arena. */
struct judging judging_make(const struct tally *t);

static inline bool judged_is_open(const struct judged *j)
{
	return j->is_disputed && !j->is_adjudicated;
}

/* A few words about the trials at these places: "3 of 5 reviewed by 2 or more, 1 adjudicated"; in the arena. */
struct judged_sum {
	uint64_t trials, reviewed; /* reviewed: with a judgment */
	uint32_t least;            /* judging annotators of a trial that is reviewed */
	uint64_t disputed, adjudicated, open;
	uint64_t annotations, replaced, adjudications, feedback; /* review entries */
};
void judged_add(struct judged_sum *s, const struct judged *j);
struct str judged_words(struct arena *a, const struct judged_sum *s);

#endif
