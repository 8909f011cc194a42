/* Only plain files count: whoever wrote a record may name a pipe or a device, and reading that would not end. */
#include "trial/transcript_find.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "dialect/formats.h"

#define RECORD_MAX ((size_t)64 << 20)
#define LEVELS 3 /* a record of a ledger is two directories below what its paths start from */

/* Trajectory first. */
static const struct {
	const char *member, *file;
	const struct dialect *as;
} transcripts[] = {
	{ "trajectory_path", "trajectory.jsonl", &trajectory_dialect },
	{ "conversation_path", "conversation.jsonl", &conversation_dialect },
};

static bool find_file(struct arena *a, struct str dir, struct str name, struct str *out)
{
	struct str path = dir.p ? ARENA_JOIN(a, dir, STR("/"), name) : name;
	struct stat st;

	if (name.n == 0 || memchr(path.p, '\0', path.n) || stat(path.p, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	*out = path;
	return true;
}

bool transcript_find_in_directory(struct arena *a, struct str path, struct transcript_found *out)
{
	struct str dir = file_is_dir(path) ? path : str_dirname(path);

	*out = (struct transcript_found){ .as = NULL };
	if (!file_is_dir(path) && !str_eq(str_basename(path), STR("agent-trace.jsonl")))
		return false;
	for (size_t i = 0; i < COUNT(transcripts) && !out->as; i++)
		if (find_file(a, dir, str_from(transcripts[i].file), &out->path))
			out->as = transcripts[i].as;
	return true;
}

/* Sealed with the record: a ledger keeps records/EXPERIMENT/TRIAL.json and artifacts/EXPERIMENT/TRIAL/NAME. */
static bool find_sealed(struct arena *a, struct str record, struct str name, struct str *out)
{
	struct str dir = str_dirname(record), trial = str_basename(record), top = str_dirname(dir);

	if (!str_eq(str_basename(top), STR("records")) || !str_ends(trial, STR(".json")))
		return false;
	trial.n -= strlen(".json");
	dir = ARENA_JOIN(a, str_dirname(top), STR("/artifacts/"), str_basename(dir), STR("/"), trial);
	return find_file(a, dir, name, out) || find_file(a, dir, str_basename(name), out);
}

/* As it stands when it is absolute, else from the record's directory and those above it; at last beside the record. */
static bool find_named(struct arena *a, struct str record, struct str name, struct str *out)
{
	struct str dir = str_dirname(record);

	if (str_starts(name, STR("/")) && find_file(a, str_of(NULL, 0), arena_copy(a, name), out))
		return true;
	for (size_t i = 0; i < LEVELS && !str_starts(name, STR("/")); i++) {
		if (find_file(a, dir, name, out))
			return true;
		dir = ARENA_JOIN(a, dir, STR("/.."));
	}
	return find_sealed(a, record, name, out) || find_file(a, str_dirname(record), str_basename(name), out);
}

static void find_facts(struct arena *a, struct val record, struct transcript_record *out)
{
	*out = (struct transcript_record){ .reward = NAN };
	if (val_is(val_get(record, STR("trial_id")), JSON_STRING))
		out->trial_id = val_text_copy(val_get(record, STR("trial_id")), a);
	if (val_is(val_get(record, STR("experiment_id")), JSON_STRING))
		out->experiment_id = val_text_copy(val_get(record, STR("experiment_id")), a);
	val_double(val_get(val_get(record, STR("evaluation")), STR("reward")), &out->reward);
}

bool transcript_find_by_record(struct arena *a, struct str path, struct transcript_found *out,
			       struct transcript_record *record, struct err *err)
{
	struct json_parser *p;
	struct str text;
	struct val v, outputs;

	*out = (struct transcript_found){ .as = NULL };
	if (str_eq(path, STR("-")))
		return err_set(err, ERR_DATA, "a trial record on standard input: the files it names are found from "
			       "where it lies" ERR_HELP "give the record as a file");
	if (!file_read(a, path, RECORD_MAX, &text, err))
		return false;
	p = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true, .allow_bom = true });
	if (!json_parse_copy(p, text, &v, NULL)) {
		json_parser_close(p);
		return err_set(err, ERR_DATA, "%.*s holds more than one trial record" ERR_HELP
			       "give a file with one record, or its trajectory", STR_ARG(path));
	}
	find_facts(a, v, record);
	outputs = val_get(v, STR("outputs"));
	for (size_t i = 0; i < COUNT(transcripts) && !out->as; i++)
		if (find_named(a, path, val_text_copy(val_get(outputs, str_from(transcripts[i].member)), a),
			       &out->path))
			out->as = transcripts[i].as;
	json_parser_close(p);
	return true;
}
