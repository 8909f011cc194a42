#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Noreturn void bench_fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(3);
}

struct bench_text bench_load(const char *path)
{
	struct stat about;
	char *p;
	size_t size, n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &about) != 0)
		bench_fail(path, strerror(errno));
	size = (size_t)about.st_size;
	p = mmap(NULL, size + BENCH_PAD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		bench_fail(path, strerror(errno));
	while (n < size) {
		ssize_t got = read(fd, p + n, size - n);

		if (got <= 0)
			bench_fail(path, got ? strerror(errno) : "shorter than it said");
		n += (size_t)got;
	}
	close(fd);
	return (struct bench_text){ p, size };
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct bench_clock bench_now(void)
{
	return (struct bench_clock){ seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID) };
}

struct bench_clock bench_since(struct bench_clock begin)
{
	struct bench_clock now = bench_now();

	return (struct bench_clock){ now.wall - begin.wall, now.cpu - begin.cpu };
}

const char *bench_option(int argc, char **argv, const char *name, const char *otherwise)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return argv[i + 1];
	return otherwise;
}

unsigned bench_number(int argc, char **argv, const char *name, unsigned otherwise)
{
	const char *text = bench_option(argc, argv, name, NULL);
	char *end;
	unsigned long v;

	if (!text)
		return otherwise;
	v = strtoul(text, &end, 10);
	if (end == text || *end || v == 0 || v > 1000000000)
		bench_fail(name, "takes a number from 1");
	return (unsigned)v;
}

void bench_report(struct bench_sample sample, const char *digest, const char *method)
{
	printf("%.9f\t%.9f\t%zu\t%zu\t%s\t%s", sample.took.wall, sample.took.cpu, sample.bytes, sample.records,
	       digest ? digest : "-", method);
	if (sample.refused)
		printf(", %zu refused", sample.refused);
	putchar('\n');
}

bool bench_next_line(struct bench_text *rest, struct bench_text *line)
{
	const char *end;

	if (rest->n == 0)
		return false;
	end = memchr(rest->p, '\n', rest->n);
	line->p = rest->p;
	line->n = end ? (size_t)(end - rest->p) : rest->n;
	rest->p += line->n + (end != NULL);
	rest->n -= line->n + (end != NULL);
	return true;
}

struct queue {
	pthread_mutex_t lock;
	struct bench_text rest;
	size_t chunk;
	size_t (*work)(void *state, struct bench_text chunk);
};

struct worker {
	struct queue *queue;
	void *state;
	size_t records;
	pthread_t thread;
};

static bool queue_take(struct queue *q, struct bench_text *out)
{
	pthread_mutex_lock(&q->lock);
	*out = q->rest;
	if (out->n > q->chunk) {
		const char *end = memchr(out->p + q->chunk - 1, '\n', out->n - q->chunk + 1);

		if (end)
			out->n = (size_t)(end + 1 - out->p);
	}
	q->rest.p += out->n;
	q->rest.n -= out->n;
	pthread_mutex_unlock(&q->lock);
	return out->n > 0;
}

static void *worker_run(void *argument)
{
	struct worker *w = argument;
	struct bench_text chunk;

	while (queue_take(w->queue, &chunk))
		w->records += w->queue->work(w->state, chunk);
	return NULL;
}

struct bench_sample bench_chunks(struct bench_text text, size_t chunk, unsigned threads,
				 size_t (*work)(void *state, struct bench_text chunk), void **states)
{
	struct queue queue = { PTHREAD_MUTEX_INITIALIZER, text, chunk, work };
	struct worker workers[BENCH_THREADS_MAX];
	struct bench_sample sample = { .bytes = text.n };
	struct bench_clock begin = bench_now();

	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){ .queue = &queue, .state = states[i] };
		if (i + 1 < threads && pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]) != 0)
			bench_fail("thread", strerror(errno));
	}
	worker_run(&workers[threads - 1]);
	for (unsigned i = 0; i < threads; i++) {
		if (i + 1 < threads)
			pthread_join(workers[i].thread, NULL);
		sample.records += workers[i].records;
	}
	sample.took = bench_since(begin);
	return sample;
}

struct bench_text bench_warm(struct bench_text text)
{
	struct bench_text rest = text, line;

	while (text.n - rest.n < BENCH_WARM && bench_next_line(&rest, &line))
		;
	return (struct bench_text){ text.p, text.n - rest.n };
}
