/* What the files of this directory share: names in a tally, and records and reviews read into it. */
#ifndef TRIAL_REPORT_PRIVATE_H
#define TRIAL_REPORT_PRIVATE_H

#include "json/json.h"
#include "trial/report/tally.h"

/* The number of a text, the same for the same text; 0 when p is NULL. */
uint32_t tally_number(struct tally *t, struct str text);

/* What a record says. Members of another type are taken for absent. `work` is for texts on the way. */
void facts_read_trial(struct tally *t, struct arena *work, struct val root, struct trial_fact *out);

/* What a review says; its trial and place are the caller's. */
void facts_read_review(struct tally *t, struct arena *work, struct val root, struct review_fact *out);

/* Decides the standing of every trial, once all entries are known. */
void standing_decide(struct tally *t);

/* What it is when no other trial takes its place. */
enum trial_standing standing_alone(const struct trial_fact *f);

#endif
