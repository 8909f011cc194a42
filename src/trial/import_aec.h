/*
 * The ledger of AEC-Bench, version 1: a tree of <experiment>/<trial>.json, or files of records. Path parts that begin
 * with an underscore are not records (artifacts, indexes) and are passed over, as its own readers do. Records are
 * sealed byte for byte.
 */
#ifndef TRIAL_IMPORT_AEC_H
#define TRIAL_IMPORT_AEC_H

#include "trial/import.h"

/* A directory, or a file: one record, or one per line when its name ends in .jsonl or .ndjson. What cannot be read or
 * breaks a rule is refused, one by one. */
bool aec_import(struct import *im, struct str path, struct err *err);

#endif
