/* What lies beside the results of a run and is shown with them. What is not there, or not readable, is left out. */
#ifndef BENCH_REPORT_SUMMARY_BESIDE_H
#define BENCH_REPORT_SUMMARY_BESIDE_H

#include "base/map.h"
#include "bench/report/summary.h"

/* The name of the directory that `path` is, or that it is in: a run id for want of rows. */
struct str beside_name(struct arena *a, struct str path);

/* resources_<tag>_before.txt and _after.txt, and the size of the model in inventory.json. Those known are kept. */
void beside_group(struct arena *a, struct str path, struct summary_group *g);

/*
 * The ids of the prompts of config.json to their places, from 0, behind those that are there. `noop`, unless it is
 * NULL, gets the ids of those whose answers nobody judges.
 */
void beside_prompts(struct map *places, struct map *noop, struct str path);

/* Whether an event of events.jsonl has "was_bottleneck": true. */
bool beside_bottleneck(struct str path);

#endif
