/* What lies beside the results of a run and is shown with them. What is not there, or not readable, is left out. */
#ifndef BENCH_REPORT_SUMMARY_BESIDE_H
#define BENCH_REPORT_SUMMARY_BESIDE_H

#include "base/map.h"
#include "bench/report/summary.h"

/*
 * The name of the directory that `path` is, or that it is in: a run id for want of rows. "unknown" when it has none or
 * is not there. Lives in the arena.
 */
struct str beside_name(struct arena *a, struct str path);

/*
 * Fills in resources_<tag>_before.txt and _after.txt, and the size of the model by inventory.json. With several runs
 * the first `before` and size and the last `after` stand. Texts are in the arena.
 */
void beside_group(struct arena *a, struct str path, struct summary_group *g);

/*
 * Adds the ids of the prompts of config.json to `places`, each with its place from 0, behind those that are there; one
 * that is there keeps its place. `noop`, unless it is NULL, gets the ids of those whose answers nobody judges. Without
 * a readable config.json both stay as they are.
 */
void beside_prompts(struct map *places, struct map *noop, struct str path);

/* Whether an event of events.jsonl has "was_bottleneck": true. False also when the file is absent or cannot be read. */
bool beside_bottleneck(struct str path);

#endif
