/*
 * The ledger of AEC-Bench, version 1: a tree of <experiment>/<trial>.json, or files of records. Path parts that begin
 * with an underscore are not records (artifacts, indexes) and are passed over, as its own readers do. Records are
 * sealed byte for byte.
 */
#ifndef TRIAL_IMPORT_AEC_H
#define TRIAL_IMPORT_AEC_H

#include "trial/import.h"

/*
 * A directory, or a file: one record, or one per line when its name ends in .jsonl or .ndjson. What cannot be read,
 * is longer than SEAL_RECORD_MAX, is of another schema version or breaks a rule is refused, one by one. False with
 * *err when `path` cannot be opened, or the import has to stop.
 */
bool aec_import(struct import *im, struct str path, struct err *err);

#endif
