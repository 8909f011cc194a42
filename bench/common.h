/*
 * What every measured program shares, so that none has an advantage: the input is in memory before the
 * clock starts, chunks end at line boundaries, and the same clock is read. A program here is a short
 * tool, so that a failure prints one line and ends it.
 *
 * Usable from C++.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define BENCH_NORETURN [[noreturn]]
#else
#define BENCH_NORETURN _Noreturn
#endif

#define BENCH_PAD 4096 /* readable zero bytes after the input */
#define BENCH_CHUNK ((size_t)256 << 10)
#define BENCH_WARM ((size_t)16 << 20)
#define BENCH_THREADS_MAX 64

struct bench_text {
	const char *p;
	size_t n;
};

struct bench_clock {
	double wall, cpu; /* seconds: monotonic, and used by all threads of the process */
};

struct bench_sample {
	struct bench_clock took;
	size_t bytes;   /* of input */
	size_t records; /* values found: equal for all programs, or one of them is wrong */
	size_t refused; /* of those; none in what gen makes */
};

BENCH_NORETURN void bench_fail(const char *what, const char *why);

/* The whole file, followed by BENCH_PAD zero bytes; never given back. */
struct bench_text bench_load(const char *path);

struct bench_clock bench_now(void);
struct bench_clock bench_since(struct bench_clock begin);

/* The number after `name` in the arguments, or `otherwise`; the text likewise. */
unsigned bench_number(int argc, char **argv, const char *name, unsigned otherwise);
const char *bench_option(int argc, char **argv, const char *name, const char *otherwise);

/*
 * One line of the protocol between the programs and bench/run:
 * wall seconds, CPU seconds, bytes, records, digest or "-", how it was done; separated by tabs.
 */
void bench_report(struct bench_sample sample, const char *digest, const char *method);

/* The next line without its end; false at the end of the text. */
bool bench_next_line(struct bench_text *rest, struct bench_text *line);

/* The first BENCH_WARM bytes, in whole lines: to be read once before the clock starts. */
struct bench_text bench_warm(struct bench_text text);

/*
 * Chunks of whole lines of about `chunk` bytes, handed to `threads` threads as they become free (to the
 * caller itself when there is one thread only). `work` counts the records of its chunk; each thread has
 * its own state. The time includes starting the threads.
 */
struct bench_sample bench_chunks(struct bench_text text, size_t chunk, unsigned threads,
				 size_t (*work)(void *state, struct bench_text chunk), void **states);

#ifdef __cplusplus
}
#endif

#endif
