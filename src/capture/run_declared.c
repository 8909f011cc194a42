/* Takes two members out of meta.json, as they stand. */
#include "capture/run_declared.h"

#include "base/file.h"
#include "json/json.h"

#define DECLARED_META_MAX ((size_t)64 << 20) /* its set may be as large as the file that declared it, and more */

static struct str run_declared_get(struct arena *a, struct val meta, struct str name)
{
	struct val v = val_get(meta, name);

	return val_is_unset(v) ? str_of(NULL, 0) : arena_copy(a, val_source(v));
}

static void run_declared_lineage(struct arena *a, struct val from, struct run_declared *out)
{
	int64_t seq;

	if (!val_i64(val_get(from, STR("seq")), &seq) || seq < 0)
		return;
	out->forked_run = val_text_copy(val_get(from, STR("run_hash")), a);
	out->forked_seq = (uint64_t)seq;
}

static void run_declared_cassette(struct arena *a, struct val files, struct run_declared *out)
{
	struct val_iter it = val_begin(files);
	struct val one;

	while (val_is(files, JSON_ARRAY) && val_next(&it, &one))
		if (val_text_is(val_get(one, STR("name")), STR("cassette.jsonl")))
			out->cassette_sha256 = val_text_copy(val_get(one, STR("sha256")), a);
}

bool run_declared_read(struct arena *a, struct str dir, struct run_declared *out, struct err *err)
{
	struct str text, path = arena_copy(a, ARENA_JOIN(a, dir, STR("/meta.json")));
	struct json_parser *parser;
	struct val meta;
	bool done;

	*out = (struct run_declared){ 0 };
	if (!file_read(a, path, DECLARED_META_MAX, &text, err))
		return false;
	parser = json_parser_open((struct json_options){ .allow_duplicates = false });
	done = json_parse_copy(parser, text, &meta, NULL) ||
	       err_set(err, ERR_DATA, "%.*s is not JSON" ERR_HELP "'trackway validate' on the directory says more",
		       STR_ARG(path));
	if (done) {
		out->content = val_is(val_get(meta, STR("content_saved")), JSON_TRUE);
		out->budget = run_declared_get(a, meta, STR("budget"));
		run_declared_cassette(a, val_get(meta, STR("files")), out);
		run_declared_lineage(a, val_get(meta, STR("forked_from")), out);
		out->retrieval_set = run_declared_get(a, meta, STR("retrieval_set"));
	}
	json_parser_close(parser);
	return done;
}
