/*
 * What the system and its tools say about a machine, read from their texts: no I/O here, so that odd answers can be
 * tried. What a text does not say is -1, or empty. Texts may be anything: a tool can be replaced, and a container's
 * /proc can be a fiction.
 */
#ifndef BENCH_RUN_MACHINE_H
#define BENCH_RUN_MACHINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#define MACHINE_TEXT 256 /* bytes that are kept of a name or a version */
#define MACHINE_ROWS 1000 /* GPUs or models */

/* The bytes that a line "NAME:   123 kB" of /proc/meminfo has; -1 when there is no such line. */
int64_t machine_meminfo(struct str text, struct str name);

/* The first of the three figures of /proc/loadavg; -1 when it is none. */
double machine_load1(struct str text);

/*
 * "model name" of /proc/cpuinfo, or what other processors have in its place; empty when nothing says so. Part of the
 * text.
 */
struct str machine_cpu_model(struct str cpuinfo);

/* PRETTY_NAME of /etc/os-release, without its quotes; empty when there is none. Part of the text. */
struct str machine_os(struct str os_release);

/*
 * The version in what a tool says of itself: behind "version is ", or behind its name ("Python 3.11.2"), or the whole
 * first line. Printable and short whatever the tool wrote.
 */
struct str machine_version(struct arena *a, struct str said, struct str name);

/*
 * A JSON array, in the arena, of {name, memory_total_bytes, memory_used_bytes} of what `nvidia-smi
 * --query-gpu=name,memory.total,memory.used --format=csv,noheader,nounits` says, MACHINE_ROWS at most; [] when it has
 * no rows. A figure that it does not have ("[N/A]") is null.
 */
struct str machine_gpus(struct arena *a, struct str csv);

/*
 * A JSON array, in the arena, of {name, id, size, size_bytes, modified} of the table of `ollama list`, MACHINE_ROWS at
 * most; [] when it has no rows.
 */
struct str machine_ollama_list(struct arena *a, struct str table);

/* "2.0 GB": decimal units, as Ollama counts; -1 when it is no size. */
int64_t machine_size(struct str text);

#endif
