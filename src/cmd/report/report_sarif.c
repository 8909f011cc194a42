/*
 * Results, rules and notifications are written side by side into three arrays, since a rule is known only when its
 * first finding comes. The end puts them into one document.
 */
#include "cmd/report/report_sarif.h"

#include "base/build.h"
#include "base/crypto/hex.h"
#include "cmd/frame/advice.h"
#include "json/put.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define FINGERPRINT 8 /* bytes of the hash that are kept */
#define NAMES 5       /* of files skipped */

void report_sarif_init(struct report_sarif *s, struct arena *arena)
{
	*s = (struct report_sarif){ .arena = arena, .root = report_find_root(arena) };
	buf_init(&s->results);
	buf_init(&s->rules);
	buf_init(&s->notes);
	buf_init(&s->names);
	map_init(&s->indexes, arena);
	sha256_init(&s->sha);
	json_write_init(&s->result_writer, &s->results, JSON_COMPACT);
	json_write_init(&s->rule_writer, &s->rules, JSON_COMPACT);
	json_write_init(&s->note_writer, &s->notes, JSON_COMPACT);
	json_write_begin_array(&s->result_writer);
	json_write_begin_array(&s->rule_writer);
	json_write_begin_array(&s->note_writer);
}

void report_sarif_free(struct report_sarif *s)
{
	buf_free(&s->results);
	buf_free(&s->rules);
	buf_free(&s->notes);
	buf_free(&s->names);
	sha256_free(&s->sha);
}

/* ---- pieces ---- */

void report_sarif_add_uri(struct buf *out, struct str path, struct str root)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

	path = report_relative(path, root);
	if (str_starts(path, STR("/")))
		buf_add_str(out, STR("file://"));
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] && strchr(plain, path.p[i]))
			buf_add_byte(out, path.p[i]);
		else
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)path.p[i]);
	}
}

/* {"text":...}. Brackets could make a link of words from the input: then they are escaped. */
static void write_message(struct json_writer *w, const char *name, struct str text)
{
	bool has_link = str_find(text, STR("](")) != (size_t)-1;
	struct buf safe;

	buf_init(&safe);
	for (size_t i = 0; i < text.n; i++) {
		if (has_link && (text.p[i] == '[' || text.p[i] == ']'))
			buf_add_byte(&safe, '\\');
		buf_add_byte(&safe, text.p[i]);
	}
	json_put_object(w, name);
	json_put_text(w, "text", buf_str(&safe));
	json_write_end_object(w);
	buf_free(&safe);
}

static const char *level_of(enum severity s)
{
	return s == SEV_ERROR ? "error" : s == SEV_WARNING ? "warning" : "note";
}

/* ---- rules ---- */

/* `rule` is NULL for a code that no table has: then the code stands for its sentence. */
static void write_rule(struct json_writer *w, const char *code, enum severity severity, const struct rule *rule)
{
	json_write_begin_object(w);
	json_put_word(w, "id", code);
	write_message(w, "shortDescription", str_from(rule ? rule->sentence : code));
	if (rule && rule->why)
		write_message(w, "fullDescription", str_from(rule->why));
	if (rule && advice_for_rule(rule))
		write_message(w, "help", str_from(advice_for_rule(rule)));
	json_put_object(w, "defaultConfiguration");
	json_put_word(w, "level", level_of(rule ? rule->severity : severity));
	json_write_end_object(w);
	if (rule && rule->section) {
		json_put_object(w, "properties");
		json_put_word(w, "section", rule->section);
		json_write_end_object(w);
	}
	json_write_end_object(w);
}

/* The place of the finding's rule among those listed; the rule is written when it is first needed. */
static uint64_t rule_index(struct report_sarif *s, const struct report *r, const struct finding *f)
{
	uint64_t next = s->indexes.count;
	bool added;
	uint64_t *index = map_add(&s->indexes, str_from(f->code), &added);

	if (added) {
		*index = next;
		write_rule(&s->rule_writer, f->code, f->severity, report_find_rule(r, f->code));
	}
	return *index;
}

/* ---- results ---- */

/* The line in sight and not its number, so that lines put before it change nothing. */
static struct str fingerprint(struct report_sarif *s, struct map *seen, const struct finding *f, struct buf *out)
{
	static const struct str nul = { "", 1 };
	char hex[2 * FINGERPRINT];
	struct digest d;
	uint64_t *times;
	bool added;

	sha256_restart(&s->sha);
	sha256_add(&s->sha, str_from(f->code));
	sha256_add(&s->sha, nul);
	sha256_add(&s->sha, f->pointer);
	sha256_add(&s->sha, nul);
	sha256_add(&s->sha, str_trim(f->excerpt));
	d = sha256_end(&s->sha);
	hex_format(hex, d.b, FINGERPRINT);
	times = map_add(seen, str_of(hex, sizeof(hex)), &added);
	buf_clear(out);
	buf_add(out, hex, sizeof(hex));
	buf_printf(out, ":%llu", (unsigned long long)++*times);
	return buf_str(out);
}

static void write_artifact(struct json_writer *w, struct str uri)
{
	json_put_object(w, "artifactLocation");
	json_put_text(w, "uri", uri);
	if (!str_starts(uri, STR("file:")))
		json_put_text(w, "uriBaseId", STR("%SRCROOT%"));
	json_write_end_object(w);
}

/* A place in the file, and the pointer to the value inside its record as a logical location. */
static void write_location(struct json_writer *w, struct str uri, const struct finding *f)
{
	json_put_array(w, "locations");
	json_write_begin_object(w);
	json_put_object(w, "physicalLocation");
	write_artifact(w, uri);
	json_put_object(w, "region");
	json_put_u64(w, "startLine", f->at.line ? f->at.line : 1); /* services want a line, also for a whole file */
	if (f->at.line && f->at.column)
		json_put_u64(w, "startColumn", f->at.column);
	if (f->at.line && f->at.column && report_end_column(f) > f->at.column) /* an empty region marks nothing */
		json_put_u64(w, "endColumn", report_end_column(f));
	json_write_end_object(w);
	json_write_end_object(w);
	if (f->pointer.n) {
		json_put_array(w, "logicalLocations");
		json_write_begin_object(w);
		json_put_text(w, "fullyQualifiedName", f->pointer);
		json_put_text(w, "kind", STR("value"));
		json_write_end_object(w);
		json_write_end_array(w);
	}
	json_write_end_object(w);
	json_write_end_array(w);
}

void report_sarif_add_list(struct report_sarif *s, const struct report *r, struct str path,
			   const struct findings *list)
{
	struct json_writer *w = &s->result_writer;
	struct arena arena; /* of this file: fingerprints count from 1 in each */
	struct buf uri, text;
	struct map seen;
	size_t i;

	arena_init(&arena);
	map_init(&seen, &arena);
	buf_init(&uri);
	buf_init(&text);
	report_sarif_add_uri(&uri, path, s->root);
	for (i = 0; i < list->kept_count && s->listed < REPORT_SARIF_LIMIT; i++, s->listed++) {
		const struct finding *f = &list->kept[i];
		bool is_promoted = s->promote && f->severity == SEV_WARNING;

		json_write_begin_object(w);
		json_put_text(w, "ruleId", str_from(f->code));
		json_put_u64(w, "ruleIndex", rule_index(s, r, f));
		json_put_word(w, "level", level_of(is_promoted ? SEV_ERROR : f->severity));
		write_message(w, "message", f->message);
		write_location(w, buf_str(&uri), f);
		json_put_object(w, "partialFingerprints");
		json_put_text(w, "primaryLocationLineHash", fingerprint(s, &seen, f, &text));
		json_write_end_object(w);
		json_write_end_object(w);
	}
	s->left += list->errors + list->warnings + list->infos - i;
	buf_free(&uri);
	buf_free(&text);
	arena_free(&arena);
}

/* ---- what is not a result ---- */

/* A notification; an empty path leaves its place out. */
static void write_note(struct report_sarif *s, const char *level, struct str text, struct str path)
{
	struct json_writer *w = &s->note_writer;
	struct buf uri;

	json_write_begin_object(w);
	json_put_word(w, "level", level);
	write_message(w, "message", text);
	if (path.n) {
		buf_init(&uri);
		report_sarif_add_uri(&uri, path, s->root);
		json_put_array(w, "locations");
		json_write_begin_object(w);
		json_put_object(w, "physicalLocation");
		write_artifact(w, buf_str(&uri));
		json_write_end_object(w);
		json_write_end_object(w);
		json_write_end_array(w);
		buf_free(&uri);
	}
	json_write_end_object(w);
}

void report_sarif_add_error(struct report_sarif *s, struct str path, struct str why)
{
	s->unread = true;
	write_note(s, "error", why, path);
}

void report_sarif_add_skipped(struct report_sarif *s, struct str path)
{
	if (s->skipped++ < NAMES) {
		buf_add_str(&s->names, s->names.n ? STR(", ") : STR(""));
		term_add_text(&s->names, report_relative(path, s->root));
	}
}

/* The reason depends on which limit was reached: that of a file, or that of the report. */
static void write_left(struct report_sarif *s)
{
	const char *why = s->listed < REPORT_SARIF_LIMIT ? "more than the limit in one file" :
							   "services refuse a report of more than 5000";

	write_note(s, "warning",
		   arena_printf(s->arena, "%llu more findings are not listed: %s", (unsigned long long)s->left, why),
		   STR(""));
}

static void write_skipped(struct report_sarif *s)
{
	write_note(s, "note",
		   arena_printf(s->arena, "%llu file%s in no format that has rules skipped: %.*s%s",
				(unsigned long long)s->skipped, s->skipped == 1 ? "" : "s", STR_ARG(buf_str(&s->names)),
				s->skipped > NAMES ? " and more" : ""),
		   STR(""));
}

static void write_driver(struct json_writer *w, struct str rules)
{
	json_put_object(w, "tool");
	json_put_object(w, "driver");
	json_put_text(w, "name", STR("trackway"));
	json_put_text(w, "version", STR(BUILD_VERSION));
	json_put_raw(w, "rules", rules);
	json_write_end_object(w);
	json_write_end_object(w);
}

void report_sarif_end(struct report_sarif *s, struct buf *out)
{
	struct json_writer w;

	if (s->left)
		write_left(s);
	if (s->skipped)
		write_skipped(s);
	json_write_end_array(&s->result_writer);
	json_write_end_array(&s->rule_writer);
	json_write_end_array(&s->note_writer);
	json_write_init(&w, out, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "$schema", STR(SCHEMA));
	json_put_text(&w, "version", STR("2.1.0"));
	json_put_array(&w, "runs");
	json_write_begin_object(&w);
	write_driver(&w, buf_str(&s->rules));
	json_put_array(&w, "invocations");
	json_write_begin_object(&w);
	json_put_bool(&w, "executionSuccessful", !s->unread);
	json_put_raw(&w, "toolExecutionNotifications", buf_str(&s->notes));
	json_write_end_object(&w);
	json_write_end_array(&w);
	json_put_text(&w, "columnKind", STR("unicodeCodePoints"));
	json_put_raw(&w, "results", buf_str(&s->results));
	json_write_end_object(&w);
	json_write_end_array(&w);
	json_write_end_object(&w);
	buf_add_byte(out, '\n');
}
