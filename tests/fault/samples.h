/* Every file of tests/data and doc/examples that a format is for, and the single lines of the tables as files. */
#ifndef FAULT_SAMPLES_H
#define FAULT_SAMPLES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "dialect/dialect.h"
#include "harness/test.h"

#define SAMPLES 1024
#define SAMPLE_LINES 6 /* of a table, in one file */

struct sample {
	char name[256];
	const struct dialect *dialect;
	bool lines;
	struct str text;
};

struct samples {
	struct sample items[SAMPLES];
	size_t count;
};

static inline void samples_add(struct samples *s, const char *name, const char *format, bool lines, struct str text)
{
	struct sample *one = &s->items[s->count++];

	CHECK(s->count < SAMPLES);
	snprintf(one->name, sizeof(one->name), "%s", name);
	one->dialect = dialect_find(str_from(format));
	one->lines = lines;
	one->text = text;
	CHECK(one->dialect != NULL);
}

/* The third column of a table, a few lines at a time. */
static inline void samples_add_table(struct samples *s, const char *name, const char *format, struct str table)
{
	struct buf text;
	size_t lines = 0;

	buf_init(&text);
	while (table.n > 0) {
		struct str line = str_cut(table, '\n', &table), rest;

		str_cut(line, '\t', &rest);
		str_cut(rest, '\t', &rest);
		if (rest.n > 0 && line.p[0] != '#') {
			buf_add_str(&text, rest);
			buf_add_byte(&text, '\n');
			lines++;
		}
		if ((lines == SAMPLE_LINES || table.n == 0) && text.n) {
			char *copy = test_alloc(text.n);

			memcpy(copy, text.p, text.n);
			samples_add(s, name, format, true, str_of(copy, text.n));
			buf_clear(&text);
			lines = 0;
		}
	}
	buf_free(&text);
}

static inline bool samples_has(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

static inline void samples_add_directory(struct samples *s, const char *directory, const char *format)
{
	struct dirent **names = NULL;
	int count = scandir(directory, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name, *is = format;
		char path[400];

		snprintf(path, sizeof(path), "%s/%s", directory, name);
		if (!is)
			is = samples_has(name, "results") ? "results" : samples_has(name, "summary") ? "summary"
				: samples_has(name, "agent-trace") ? "agent-trace" : samples_has(name, "otutl") ? "otutl" : "json";
		if (str_ends(str_from(name), STR(".tsv")) && strcmp(is, "trial") != 0)
			samples_add_table(s, name, is, test_read(path));
		else if (str_ends(str_from(name), STR(".jsonl")) || str_ends(str_from(name), STR(".json")))
			samples_add(s, name, is, str_ends(str_from(name), STR(".jsonl")), test_read(path));
		free(names[i]);
	}
	free(names);
}

static inline struct samples *samples_read(void)
{
	struct samples *s = test_alloc(sizeof(*s));

	samples_add_directory(s, "tests/data/agent-trace", "agent-trace");
	samples_add_directory(s, "tests/data/bench", NULL);
	samples_add_directory(s, "tests/data/conversation", "conversation");
	samples_add_directory(s, "tests/data/otutl", "otutl");
	samples_add_directory(s, "tests/data/trajectory", "trajectory");
	samples_add_directory(s, "tests/data/trial", "trial");
	samples_add_directory(s, "doc/examples", NULL);
	return s;
}

#endif
