/* jansson FILE [--passes N]: json_loadb of one line after the other, each value freed again. */
#include <jansson.h>

#include "../common.h"

static size_t read_lines(void *state, struct bench_text chunk)
{
	struct bench_text line;
	size_t records = 0;

	(void)state;
	while (bench_next_line(&chunk, &line)) {
		json_t *value = json_loadb(line.p, line.n, 0, NULL);

		if (!value)
			bench_fail("jansson", "refused a line");
		json_decref(value);
		records++;
	}
	return records;
}

int main(int argc, char **argv)
{
	unsigned passes = bench_number(argc, argv, "--passes", 1);
	void *states[1] = { NULL };
	struct bench_text text;

	if (argc < 2)
		bench_fail("usage", "jansson FILE [--passes N]");
	text = bench_load(argv[1]);
	for (unsigned i = 0; i < passes; i++)
		bench_report(bench_chunks(text, BENCH_CHUNK, 1, read_lines, states), NULL, "json_loadb");
	return 0;
}
