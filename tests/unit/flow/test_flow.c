#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/stop.h"
#include "flow/flow.h"
#include "flow/thread.h"
#include "harness/test.h"
#include "unit/flow/nothreads.h"
#include "unit/source/feed.h"
#include "unit/source/pack.h"

/* What the callbacks see and count; work touches the atomic members only. */
struct scene {
	struct buf out; /* "line text\n" for every line, "!message\n" for a failed input */
	const char *bad;  /* work fails on a chunk that holds this */
	const char *slow; /* and takes long on one that holds this */
	const char *stop; /* emit fails here */
	bool go_on;       /* after a failed input */
	atomic_uint workers, results, begun;
	unsigned meet; /* no work ends before this many have begun */
	unsigned most, emitted;
	int ack; /* written to after every emit, when not 0 */
	bool raise; /* SIGINT after the first emit */
};

static struct scene scene;

struct hand {
	unsigned number;
	atomic_uint busy;
	struct scene *scene;
};

struct line_list {
	struct buf text;
	unsigned used;
};

static void hand_init(void *worker, void *context)
{
	struct hand *h = worker;

	CHECK_INT(h->number, 0);
	h->scene = context;
	h->number = atomic_fetch_add(&h->scene->workers, 1) + 1;
}

static void hand_free(void *worker)
{
	struct hand *h = worker;

	CHECK(h->number > 0);
	atomic_fetch_sub(&h->scene->workers, 1);
}

static void list_init(void *result)
{
	struct line_list *l = result;

	CHECK_INT(l->used, 0);
	buf_init(&l->text);
	atomic_fetch_add(&scene.results, 1);
}

static void list_free(void *result)
{
	struct line_list *l = result;

	buf_free(&l->text);
	atomic_fetch_sub(&scene.results, 1);
}

static bool has(const struct chunk *in, const char *word)
{
	return word && memmem(in->bytes.p, in->bytes.n, word, strlen(word));
}

static bool number_lines(void *worker, const struct chunk *in, void *result, struct err *err)
{
	struct hand *h = worker;
	struct line_list *l = result;
	struct str rest = in->bytes, line;
	uint64_t number = in->first_line;

	CHECK_INT(atomic_fetch_add(&h->busy, 1), 0);
	atomic_fetch_add(&h->scene->begun, 1);
	l->used++;
	buf_clear(&l->text);
	while (rest.n > 0) {
		line = str_cut(rest, '\n', &rest);
		buf_printf(&l->text, "%llu %.*s\n", (unsigned long long)number++, (int)line.n, line.p);
	}
	for (int i = 0; i < 10000 && atomic_load(&h->scene->begun) < h->scene->meet; i++)
		usleep(1000);
	CHECK(atomic_load(&h->scene->begun) >= h->scene->meet);
	if (has(in, h->scene->slow))
		usleep(30000);
	CHECK_INT(atomic_fetch_sub(&h->busy, 1), 1);
	if (has(in, h->scene->bad))
		return err_set(err, ERR_DATA, "line %llu is bad", (unsigned long long)in->first_line);
	return true;
}

static bool collect(void *context, const struct chunk *in, void *result, struct err *err)
{
	struct scene *s = context;
	const struct line_list *l = result;
	unsigned flying = atomic_load(&s->begun) - s->emitted++;

	s->most = flying > s->most ? flying : s->most;
	if (has(in, s->stop))
		return err_set(err, ERR_IO, "emit refused");
	buf_add_str(&s->out, buf_str(&l->text));
	if (s->ack)
		CHECK_INT(write(s->ack, "+", 1), 1);
	if (s->raise)
		kill(getpid(), SIGINT);
	s->raise = false; /* a second one would end the process */
	return true;
}

static bool note_failure(void *context, const struct input *input, const struct err *why)
{
	struct scene *s = context;

	CHECK(str_find(str_from(why->text), input->name) != (size_t)-1); /* also of one that could not be opened */
	buf_printf(&s->out, "!%s\n", why->text);
	return s->go_on;
}

static unsigned threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned count = 0;

	while (d && readdir(d))
		count++;
	if (d)
		closedir(d);
	return count;
}

static void *nothing(void *argument)
{
	return argument;
}

/* A sanitizer starts a thread of its own with the first one, and a joined thread takes a moment to leave the list. */
static unsigned threads_before(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
	usleep(1000);
	return threads();
}

static bool threads_are_back_to(unsigned before)
{
	for (int i = 0; i < 1000 && threads() > before; i++)
		usleep(1000);
	return threads() <= before;
}

/* Runs `files` through a flow; true when it was content. Counts are checked, the output is in scene.out. */
static bool run(const struct memory_file *files, size_t count, unsigned jobs, size_t chunk_size, struct err *err)
{
	struct memory m = { .files = files, .count = count };
	struct source_io io = memory_io(&m);
	struct str paths[8];
	struct arena a;
	struct flow f = {
		.jobs = jobs,
		.worker_size = sizeof(struct hand),
		.worker_init = hand_init,
		.worker_free = hand_free,
		.result_size = sizeof(struct line_list),
		.result_init = list_init,
		.result_free = list_free,
		.work = number_lines,
		.emit = collect,
		.input_failed = note_failure,
		.context = &scene,
	};
	unsigned before = threads_before();
	bool content;

	arena_init(&a);
	for (size_t i = 0; i < count; i++)
		paths[i] = files[i].path;
	f.from = source_open(&a, paths, count, (struct source_options){ .shape = SOURCE_LINES, .record_limit = 100,
			     .chunk_size = chunk_size, .io = &io }, err);
	CHECK(f.from);
	buf_clear(&scene.out);
	scene.emitted = scene.most = 0;
	atomic_store(&scene.begun, 0);
	content = flow_run(&f, err);
	source_close(f.from);
	arena_free(&a);
	CHECK_INT(atomic_load(&scene.workers), 0);
	CHECK_INT(atomic_load(&scene.results), 0);
	CHECK(threads_are_back_to(before));
	return content;
}

static struct buf text, want;

/* `count` lines "item N", and the output they should give. */
static struct memory_file make_file(unsigned count)
{
	buf_clear(&text);
	buf_clear(&want);
	for (unsigned i = 1; i <= count; i++) {
		buf_printf(&text, "item %u\n", i);
		buf_printf(&want, "%u item %u\n", i, i);
	}
	return (struct memory_file){ STR("f"), buf_str(&text) };
}

TEST(results_come_in_input_order_whatever_the_number_of_jobs)
{
	struct memory_file file = make_file(3000);
	struct err err;

	for (unsigned jobs = 0; jobs <= 9; jobs++)
		for (size_t size = 10; size <= 100000; size *= 10) {
			test_case("%u jobs, chunks of %zu", jobs, size);
			CHECK(run(&file, 1, jobs, size, &err));
			CHECK_STR(buf_str(&scene.out), buf_str(&want));
		}
}

TEST(a_slow_chunk_holds_back_the_later_ones_but_not_more_than_the_ring)
{
	struct memory_file file = make_file(200);
	struct err err;

	scene.slow = "item 50\n";
	for (unsigned jobs = 1; jobs <= 5; jobs++) {
		CHECK(run(&file, 1, jobs, 8, &err));
		CHECK_STR(buf_str(&scene.out), buf_str(&want));
		CHECK(scene.most <= jobs + 2);
	}
	CHECK(scene.most > 1);
}

TEST(as_many_chunks_as_jobs_are_worked_on_at_the_same_time)
{
	struct memory_file file = make_file(10);
	struct err err;

	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		scene.meet = jobs;
		CHECK(run(&file, 1, jobs, 8, &err));
		CHECK_STR(buf_str(&scene.out), buf_str(&want));
	}
}

TEST(the_first_failure_in_input_order_is_reported_though_a_later_one_came_sooner)
{
	const struct memory_file file = { STR("f"), STR("ok\nok\nbad and slow\nbad\nbad\nok\nbad\nok\nok\n") };
	struct err err;

	scene.bad = "bad";
	scene.slow = "slow";
	for (unsigned jobs = 1; jobs <= 6; jobs++) {
		CHECK(!run(&file, 1, jobs, 3, &err));
		CHECK_STR(str_from(err.text), STR("line 3 is bad"));
		CHECK_STR(buf_str(&scene.out), STR("1 ok\n2 ok\n"));
	}
}

TEST(a_refusal_to_emit_stops_the_flow)
{
	struct memory_file file = make_file(100);
	struct err err;

	scene.stop = "item 3\n";
	for (unsigned jobs = 1; jobs <= 6; jobs++) {
		CHECK(!run(&file, 1, jobs, 8, &err));
		CHECK_STR(str_from(err.text), STR("emit refused"));
		CHECK_STR(buf_str(&scene.out), STR("1 item 1\n2 item 2\n"));
	}
}

TEST(a_part_that_fails_is_told_in_its_place_and_the_next_one_follows)
{
	const struct memory_file files[] = { { STR("a"), STR("1\n2\n3\n") }, { STR("b"), STR("\x1f\x8b") },
					     { STR("c"), STR("4\n") } };
	struct err err;

	for (unsigned jobs = 1; jobs <= 6; jobs++) {
		scene.go_on = true;
		scene.slow = "2\n";
		CHECK(run(files, 3, jobs, 2, &err));
		CHECK_STR(buf_str(&scene.out), STR("1 1\n2 2\n3 3\n!b: the gzip stream is truncated: the file ends at "
						   "byte 2 in the middle of the compressed data\n1 4\n"));
		CHECK_INT(atomic_load(&scene.begun), 4);
		scene.go_on = false;
		CHECK(!run(files, 3, jobs, 2, &err));
		CHECK_STR(buf_str(&scene.out), STR("1 1\n2 2\n3 3\n!b: the gzip stream is truncated: the file ends at "
						   "byte 2 in the middle of the compressed data\n"));
		CHECK_STR(str_from(err.text), STR("b: the gzip stream is truncated: the file ends at byte 2 in the "
						  "middle of the compressed data"));
	}
}

static bool lengths(void *worker, const struct chunk *in, void *result, struct err *err)
{
	(void)worker;
	(void)err;
	*(size_t *)result = in->bytes.n;
	return true;
}

static bool add_length(void *context, const struct chunk *in, void *result, struct err *err)
{
	(void)in;
	(void)err;
	*(size_t *)context += *(size_t *)result;
	return true;
}

TEST(callbacks_that_are_not_needed_may_be_left_out)
{
	const struct memory_file files[] = { { STR("a"), STR("1\n2\n3\n") }, { STR("b"), STR("\x1f\x8b") } };
	struct memory m = { .files = files, .count = 2 };
	struct source_io io = memory_io(&m);
	const struct str paths[] = { STR("a"), STR("b") };

	for (size_t count = 0; count <= 2; count++) {
		size_t total = 0;
		struct flow f = { .jobs = 2, .result_size = sizeof(size_t), .work = lengths, .emit = add_length,
				  .context = &total };
		struct arena a;
		struct err err;

		arena_init(&a);
		f.from = source_open(&a, paths, count, (struct source_options){ .shape = SOURCE_LINES, .chunk_size = 2, .io = &io }, &err);
		CHECK_INT(flow_run(&f, &err), count < 2); /* without input_failed a failed input stops the flow */
		CHECK_INT(total, count ? 6 : 0);
		source_close(f.from);
		arena_free(&a);
	}
}

TEST(parallel_gives_what_one_thread_gives_on_real_logs)
{
	static const char *const paths[] = { "corpora/13-agent-trace-v1/dev/events.jsonl",
					     "corpora/03-json-real/dev/amazon_cellphones.ndjson" };

	for (size_t i = 0; i < 2; i++) {
		struct str log = test_read(test_shared(paths[i]));
		struct err err;

		for (int packed = 0; packed < 3; packed++) {
			size_t total = 0;
			struct buf stored;
			struct flow f = { .jobs = 3, .result_size = sizeof(size_t), .work = lengths, .emit = add_length,
					  .context = &total };
			struct memory_file file;
			struct memory m = { .files = &file, .count = 1 };
			struct source_io io = memory_io(&m);
			struct arena a;

			buf_init(&stored), arena_init(&a);
			if (packed == 1)
				pack_gzip(&stored, log);
			if (packed == 2)
				pack_zstd(&stored, log);
			file = (struct memory_file){ STR("x.jsonl"), packed ? buf_str(&stored) : log };
			f.from = source_open(&a, &file.path, 1,
					     (struct source_options){ .shape = SOURCE_AUTO, .chunk_size = 5000, .io = &io }, &err);
			CHECK(flow_run(&f, &err));
			CHECK_INT(total, log.n);
			source_close(f.from);
			buf_free(&stored), arena_free(&a);
		}
		free((void *)(uintptr_t)log.p);
	}
}

TEST(a_system_without_threads_gets_the_same_results)
{
	struct memory_file file = make_file(100);
	struct err err;

	nothreads_begin();
	CHECK(run(&file, 1, 4, 10, &err));
	nothreads_end();
	CHECK_STR(buf_str(&scene.out), buf_str(&want));
}

TEST(a_wish_to_stop_ends_the_flow_after_what_was_read)
{
	struct memory_file file = make_file(1000);
	struct err err;

	signal(SIGINT, SIG_DFL); /* a test run in the background has it ignored */
	stop_install();
	scene.raise = true;
	CHECK(!run(&file, 1, 3, 8, &err));
	CHECK_STR(str_from(err.text), STR("interrupted"));
	CHECK(scene.emitted >= 1 && scene.emitted <= 5);
	CHECK(str_starts(buf_str(&want), buf_str(&scene.out)));
}

static void *interrupt_later(void *argument)
{
	usleep(50000);
	kill(getpid(), SIGINT);
	return argument;
}

TEST(a_wish_to_stop_leaves_a_silent_pipe_with_the_lines_that_came)
{
	struct flow f = { .jobs = 3, .worker_size = sizeof(struct hand), .worker_init = hand_init,
			  .result_size = sizeof(struct line_list), .result_free = list_free,
			  .work = number_lines, .emit = collect, .input_failed = note_failure, .context = &scene };
	pthread_t thread;
	struct arena a;
	struct err err;
	int ends[2];

	signal(SIGINT, SIG_DFL); /* a test run in the background has it ignored */
	stop_install();
	CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	CHECK_INT(write(ends[1], "line\nhalf", 9), 9);
	arena_init(&a);
	f.from = source_open(&a, &STR("-"), 1, (struct source_options){ .shape = SOURCE_LINES }, &err);
	scene.go_on = true;
	CHECK(thread_start(&thread, interrupt_later, NULL));
	CHECK(!flow_run(&f, &err));
	CHECK_STR(str_from(err.text), STR("standard input: interrupted at byte 9"));
	CHECK_STR(buf_str(&scene.out), STR("1 line\n"));
	pthread_join(thread, NULL);
	source_close(f.from);
	arena_free(&a);
}

struct talk {
	int to, from;
};

/* Writes a line only when the one before was answered. */
static void *write_after_answer(void *argument)
{
	struct talk *t = argument;
	char answer;

	for (int i = 0; i < 20; i++) {
		CHECK_INT(write(t->to, "line\n", 5), 5);
		CHECK_INT(read(t->from, &answer, 1), 1);
	}
	close(t->to);
	return NULL;
}

TEST(a_writer_that_waits_for_the_answer_gets_it)
{
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct flow f = { .jobs = jobs, .worker_size = sizeof(struct hand), .worker_init = hand_init,
				  .result_size = sizeof(struct line_list), .result_free = list_free,
				  .work = number_lines, .emit = collect, .context = &scene };
		int there[2], back[2];
		struct talk talk;
		pthread_t thread;
		struct arena a;
		struct err err;

		CHECK(pipe(there) == 0 && pipe(back) == 0 && dup2(there[0], STDIN_FILENO) == STDIN_FILENO);
		close(there[0]);
		talk = (struct talk){ there[1], back[0] };
		scene.ack = back[1];
		arena_init(&a);
		f.from = source_open(&a, &STR("-"), 1, (struct source_options){ .shape = SOURCE_LINES }, &err);
		CHECK(f.from);
		pthread_create(&thread, NULL, write_after_answer, &talk);
		buf_clear(&scene.out);
		CHECK(flow_run(&f, &err));
		CHECK(str_ends(buf_str(&scene.out), STR("19 line\n20 line\n")));
		pthread_join(thread, NULL);
		source_close(f.from);
		arena_free(&a);
		close(back[0]), close(back[1]);
	}
}
