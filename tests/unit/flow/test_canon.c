#include "harness/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flow/canon.h"

static bool put(void *context, struct str bytes, struct err *err)
{
	(void)err;
	buf_add_str(context, bytes);
	return true;
}

struct outcome {
	struct buf out;
	struct arena arena;
	struct findings findings;
	uint64_t records;
};

/* Through a file, with chunks of `chunk_size` on `jobs` threads. */
static void run(struct outcome *o, struct str text, size_t chunk_size, unsigned jobs)
{
	char path[] = "/tmp/test-canon-XXXXXX";
	struct str name = str_from(path);
	struct source_options how = { .shape = SOURCE_LINES, .chunk_size = chunk_size };
	struct err err = { 0 };
	struct canon_flow f = { .jobs = jobs, .findings = &o->findings, .put = put, .context = &o->out };
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
	close(fd);
	buf_init(&o->out);
	arena_init(&o->arena);
	findings_init(&o->findings, &o->arena, 0);
	f.from = source_open(&o->arena, &name, 1, how, &err);
	CHECK(f.from && canon_flow_run(&f, &err));
	o->records = f.records;
	source_close(f.from);
	unlink(path);
}

static void done(struct outcome *o)
{
	buf_free(&o->out);
	arena_free(&o->arena);
}

static struct str many_lines(struct buf *b, int bad_every)
{
	buf_init(b);
	for (int i = 1; i <= 5000; i++) {
		if (bad_every && i % bad_every == 0)
			buf_printf(b, "{\"n\":%d,\"n\":0}\n", i);
		else
			buf_printf(b, "{\"z\":[%d.0],\"a\":\"\\u0041\"}\n", i);
	}
	return buf_str(b);
}

TEST(chunks_and_threads_do_not_change_the_output)
{
	struct buf text;
	struct outcome whole, cut;

	many_lines(&text, 0);
	run(&whole, buf_str(&text), 0, 1);
	CHECK_INT(whole.records, 5000);
	CHECK(str_starts(buf_str(&whole.out), STR("{\"a\":\"A\",\"z\":[1]}\n{\"a\":\"A\",\"z\":[2]}\n")));
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		run(&cut, buf_str(&text), 1000, jobs);
		CHECK(str_eq(buf_str(&cut.out), buf_str(&whole.out)));
		done(&cut);
	}
	done(&whole);
	buf_free(&text);
}

TEST(findings_come_in_order_with_their_places_in_the_whole_input)
{
	struct buf text;
	struct outcome o;

	many_lines(&text, 1000);
	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		run(&o, buf_str(&text), 4096, jobs);
		CHECK_INT(o.findings.errors, 5);
		CHECK_INT(o.records, 4995);
		for (size_t i = 0; i < 5; i++) {
			const struct finding *f = &o.findings.kept[i];

			CHECK_STR(str_from(f->code), STR("E_DUP_KEY"));
			CHECK_INT(f->at.line, (i + 1) * 1000);
			CHECK_INT(f->at.column, 11);
			CHECK(memcmp(text.p + f->at.offset, "\"n\":0}", 6) == 0);
			CHECK_STR(f->pointer, STR("/n"));
		}
		done(&o);
	}
	buf_free(&text);
}

TEST(a_refused_number_points_at_itself)
{
	struct outcome o;

	run(&o, STR("{}\n{\"a\":[1,{\"b\":-1e999}]}\n"), 0, 1);
	CHECK_INT(o.findings.errors, 1);
	CHECK_STR(str_from(o.findings.kept[0].code), STR("E_NUM_RANGE"));
	CHECK_INT(o.findings.kept[0].at.line, 2);
	CHECK_INT(o.findings.kept[0].at.column, 14);
	CHECK_INT(o.findings.kept[0].at.offset, 16);
	CHECK_STR(o.findings.kept[0].pointer, STR("/a/1/b"));
	done(&o);
}
