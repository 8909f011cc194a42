// simdjson each|many|document FILE [--isa NAME] [--threads N] [--passes N] [--chunk BYTES] [--repeat N]
//
// DOM parse by Debian's libsimdjson, every value built and its error looked at.
//   each      parser.parse() of one line after the other, straight from the padded input
//   many      parser.parse_many() over chunks of lines, its own second thread switched off
//   document  the file is one value, parsed --repeat times a pass
// With more threads each has its own parser.
#include <simdjson.h>
#include <string>
#include <vector>

#include "../common.h"

using simdjson::dom::parser;

struct reader {
	parser dom;
	size_t batch = 0;
	size_t bad = 0;
};

static size_t read_each(void *state, bench_text chunk)
{
	auto *r = static_cast<reader *>(state);
	size_t records = 0;
	bench_text line;

	while (bench_next_line(&chunk, &line)) {
		if (line.n == 0)
			continue;
		if (r->dom.parse(line.p, line.n, false).error())
			r->bad++;
		records++;
	}
	return records;
}

static size_t read_many(void *state, bench_text chunk)
{
	auto *r = static_cast<reader *>(state);
	size_t records = 0;
	simdjson::dom::document_stream stream;

	if (r->dom.parse_many(chunk.p, chunk.n, r->batch).get(stream))
		bench_fail("simdjson", "parse_many refused the chunk");
	for (auto value : stream) {
		if (value.error())
			r->bad++;
		records++;
	}
	return records;
}

static bench_sample pass_lines(std::vector<reader> &readers, bench_text text, size_t chunk,
			       size_t (*work)(void *, bench_text))
{
	std::vector<void *> states;

	for (auto &r : readers) {
		r.bad = 0;
		states.push_back(&r);
	}
	bench_sample sample = bench_chunks(text, chunk, unsigned(readers.size()), work, states.data());
	for (auto &r : readers)
		sample.refused += r.bad;
	return sample;
}

static bench_sample pass_document(reader &r, bench_text text, unsigned repeat)
{
	bench_sample sample{};
	const bench_clock begin = bench_now();

	for (unsigned i = 0; i < repeat; i++)
		sample.refused += r.dom.parse(text.p, text.n, false).error() != simdjson::SUCCESS;
	sample.took = bench_since(begin);
	sample.bytes = text.n * repeat;
	sample.records = repeat;
	return sample;
}

static void choose_isa(const char *name)
{
	const auto *wanted = simdjson::get_available_implementations()[name];

	if (!wanted || !wanted->supported_by_runtime_system())
		bench_fail(name, "simdjson has no such implementation here");
	simdjson::get_active_implementation() = wanted;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		bench_fail("usage", "simdjson each|many|document FILE [--isa NAME] [--threads N] [--passes N]");
	const std::string mode = argv[1];
	const char *isa = bench_option(argc, argv, "--isa", nullptr);
	const unsigned threads = bench_number(argc, argv, "--threads", 1);
	const unsigned passes = bench_number(argc, argv, "--passes", 1);
	const unsigned repeat = bench_number(argc, argv, "--repeat", 1);
	const bench_text text = bench_load(argv[2]);
	const size_t chunk = bench_number(argc, argv, "--chunk", 1000000); // its own default for a batch

	if (threads > BENCH_THREADS_MAX)
		bench_fail("--threads", "too many");
	if (isa)
		choose_isa(isa);
	std::vector<reader> readers(threads);
	for (auto &r : readers) {
		r.dom.threaded = false;
		r.batch = chunk + (size_t(1) << 20); // a chunk ends after its last line, so it may be longer
		if (r.dom.allocate(mode == "document" ? text.n : r.batch))
			bench_fail("simdjson", "out of memory");
	}
	const std::string method = simdjson::get_active_implementation()->name() + " " + mode;
	auto *work = mode == "many" ? read_many : read_each;

	if (mode != "document")
		pass_lines(readers, bench_warm(text), chunk, work);
	for (unsigned i = 0; i < passes; i++)
		bench_report(mode == "document" ? pass_document(readers[0], text, repeat)
						: pass_lines(readers, text, chunk, work),
			     nullptr, method.c_str());
	return 0;
}
