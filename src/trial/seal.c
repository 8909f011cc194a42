/*
 * Adding checks a record and makes its entry; committing looks each up, refuses names that are taken, then for each
 * log puts objects, appends the records, and appends the artifacts, whose entries need the records' places.
 */
#include "trial/seal.h"

#include <assert.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "dialect/formats.h"
#include "dialect/trial/trial_rules.h"
#include "json/canon.h"
#include "trial/seal_name.h"

#define BYTES_MAX ((size_t)64 << 20) /* of a batch, after which it is committed, however few records it has */
#define FINDINGS 50                  /* kept of one record */
#define WORDS_MAX 8192               /* in an entry about a trial: a reason, the name of an artifact */

enum step {
	TO_APPEND, /* nothing like it was in the log when it was looked up */
	DECIDED,
};

struct attached {
	struct entry entry;
	struct str bytes;
};

struct pending {
	struct seal_result result;
	struct findings findings;
	struct entry entry;
	struct str bytes, ident;
	struct attached *attached;
	size_t attached_count;
	enum step step;
	bool is_twin; /* an earlier one of the batch has the same ident */
};

/* What is mapped until the batch is over. */
struct mapping {
	struct str bytes;
	struct mapping *next;
};

struct sealer {
	struct seal_options o;
	struct arena arena; /* the batch's */
	struct json_parser *parser, *entry_parser;
	struct canon *canon;
	struct sha256 sha;
	void *scanner, *scanned, *fold; /* of the trial format */
	struct buf text;
	struct pending items[SEAL_BATCH];
	struct mapping *mappings;
	size_t count, bytes;
};

static const struct check_options how = { .mode = MODE_DEFAULT, .finding_limit = FINDINGS };

struct sealer *sealer_open(const struct seal_options *o)
{
	struct sealer *s = mem_alloc(sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->o = *o;
	arena_init(&s->arena);
	s->parser = json_parser_open((struct json_options){ .max_depth = 0 });
	s->entry_parser = json_parser_open((struct json_options){ .max_depth = ENTRY_DEPTH });
	s->canon = canon_open(CANON_JCS);
	sha256_init(&s->sha);
	s->scanner = trial_dialect.ops->scanner_open(&trial_dialect, &how);
	s->scanned = trial_dialect.ops->batch_open(&trial_dialect);
	s->fold = trial_dialect.ops->fold_open(&trial_dialect, &how);
	buf_init(&s->text);
	return s;
}

static void unmap_all(struct sealer *s)
{
	for (; s->mappings; s->mappings = s->mappings->next)
		file_unmap(s->mappings->bytes);
}

void sealer_close(struct sealer *s)
{
	if (!s)
		return;
	unmap_all(s);
	trial_dialect.ops->fold_close(s->fold);
	trial_dialect.ops->batch_close(s->scanned);
	trial_dialect.ops->scanner_close(s->scanner);
	buf_free(&s->text);
	sha256_free(&s->sha);
	canon_close(s->canon);
	json_parser_close(s->entry_parser);
	json_parser_close(s->parser);
	arena_free(&s->arena);
	mem_free(s);
}

static void clear(struct sealer *s)
{
	unmap_all(s);
	arena_reset(&s->arena);
	s->count = 0;
	s->bytes = 0;
}

/* ---- one record: what is wrong with it, and what its entry says ---- */

__attribute__((format(printf, 4, 5))) static void seal_refuse(struct sealer *s, struct pending *p,
							      const char *code, const char *format, ...)
{
	struct finding f = { .code = code, .severity = SEV_ERROR, .at = { .line = 1, .column = 1 } };
	struct buf text;
	va_list args;

	buf_init(&text);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	f.message = arena_take(&s->arena, &text);
	findings_add(&p->findings, &f);
}

/* By the rules of the format. The bytes are padded. */
static bool check_rules(struct sealer *s, struct pending *p, struct err *err)
{
	const struct check_ops *ops = trial_dialect.ops;
	struct check_chunk chunk = { .bytes = p->bytes, .first_line = 1 };
	struct check_tally tally = { .records = 0 };
	bool done;

	ops->begin(s->fold, &p->findings);
	ops->scan(s->scanner, &chunk, s->scanned);
	done = ops->fold(s->fold, s->scanned, err);
	ops->finish(s->fold, &tally);
	findings_sort(&p->findings);
	return done;
}

/* SHA-256 of the canonical form of a part of the record. */
static bool pin(struct sealer *s, struct pending *p, struct val root, struct str name, struct digest *out)
{
	struct val v = val_get(root, name);
	enum json_code code;
	uint32_t bad_at;

	buf_clear(&s->text);
	if (!canon_value(s->canon, v, &s->text, &bad_at, &code)) {
		struct json_issue issue;

		canon_issue(root, bad_at, code, &s->arena, &issue);
		seal_refuse(s, p, json_code_name(code), "%.*s: %s", STR_ARG(issue.pointer), issue.message);
		return false;
	}
	*out = sha256_of(&s->sha, buf_str(&s->text));
	return true;
}

/* A part of the record that has no canonical form refuses the record, with a finding. */
static bool read_pins(struct sealer *s, struct pending *p, struct val root)
{
	p->entry.pins.given = true;
	return pin(s, p, root, STR("task"), &p->entry.pins.task) &&
	       pin(s, p, root, STR("agent"), &p->entry.pins.agent) &&
	       pin(s, p, root, STR("environment"), &p->entry.pins.environment) &&
	       pin(s, p, root, STR("inputs"), &p->entry.pins.inputs);
}

static struct str text_of(struct sealer *s, struct val root, struct str name)
{
	return arena_copy(&s->arena, val_text(val_get(root, name), &s->arena));
}

/* What is sealed can be superseded and erased: such entries have its id up to three times. */
static bool has_room(struct sealer *s, const struct entry *trial)
{
	struct entry_ref ref = { .given = true, .trial_id = trial->id, .index = UINT64_MAX };
	struct entry e = { .kind = ENTRY_SUPERSEDE, .id = trial->id, .experiment = trial->experiment,
			   .sealed_at = trial->sealed_at, .ref = ref, .by = ref };
	struct err why;

	buf_clear(&s->text);
	return entry_add_text(&s->text, &e, &why) && s->text.n <= ENTRY_MAX - WORDS_MAX;
}

/* The record keeps its rules, so its fields are what they should be. */
static bool read_record(struct sealer *s, struct pending *p)
{
	struct entry *e = &p->entry;
	struct json_issue issue;
	struct val root;

	if (!json_parse(s->parser, p->bytes, &root, &issue)) {
		seal_refuse(s, p, json_code_name(issue.code), "%s", issue.message);
		return false;
	}
	e->kind = ENTRY_TRIAL;
	e->id = text_of(s, root, STR("trial_id"));
	e->experiment = text_of(s, root, STR("experiment_id"));
	e->completeness = text_of(s, root, STR("completeness"));
	e->sealed_at = stamp_new_ns(&s->arena, s->o.now_ns ? s->o.now_ns() : (int64_t)clock_wall_ns(), 3);
	e->record.given = true;
	e->record.digest = sha256_of(&s->sha, p->bytes);
	e->record.size = p->bytes.n;
	e->record.media = STR(ENTRY_MEDIA_TRIAL);
	p->result.experiment = e->experiment;
	p->result.trial_id = e->id;
	p->result.digest = e->record.digest;
	p->result.kind = ENTRY_TRIAL;
	p->result.part = str_eq(e->completeness, STR("complete")) ? LEDGER_MAIN : LEDGER_DIAGNOSTIC;
	if (!read_pins(s, p, root))
		return false;
	if (!has_room(s, e)) {
		seal_refuse(s, p, json_code_name(JSON_E_LIMIT),
			    "the record's ids are too long for an entry of the log");
		return false;
	}
	p->ident = entry_ident(&s->arena, e);
	return true;
}

static void add_run(struct sealer *s, struct entry *e, const struct seal_run *run)
{
	if (!run)
		return;
	e->run.hash = ARENA_JOIN(&s->arena, STR("otutl-v1:sha256:"), run->hash);
	e->run.root = ARENA_JOIN(&s->arena, STR("rfc6962-sha256:"), run->root);
	e->run.records = run->records;
}

/* Copies the artifacts and makes their entries; what they refer to is known only when the trial has its index. */
static bool attach(struct sealer *s, struct pending *p, const struct seal_artifact *artifacts, size_t count,
		   bool are_mapped)
{
	p->attached = arena_array(&s->arena, struct attached, count);
	p->attached_count = count;
	for (size_t i = 0; i < count; i++) {
		struct attached *to = &p->attached[i];

		if (!seal_is_artifact_name(artifacts[i].name)) {
			seal_refuse(s, p, SEAL_E_NAME,
				    "an artifact's name is absolute, leaves its directory or is too "
				    "long: %.*s",
				    STR_ARG(artifacts[i].name));
			return false;
		}
		to->bytes = are_mapped ? artifacts[i].bytes : arena_copy(&s->arena, artifacts[i].bytes);
		to->entry = (struct entry){
			.kind = ENTRY_ARTIFACT,
			.id = ARENA_JOIN(&s->arena, p->entry.id, STR("/"), artifacts[i].name),
			.experiment = p->entry.experiment,
			.sealed_at = p->entry.sealed_at,
			.record = { .given = true, .digest = sha256_of(&s->sha, artifacts[i].bytes),
				    .size = artifacts[i].bytes.n, .media = arena_copy(&s->arena, artifacts[i].media) },
		};
		s->bytes += artifacts[i].bytes.n;
	}
	return true;
}

/* The finding that a complete record lacks something is known by its rule. */
static const char *code_of(const struct pending *p)
{
	for (size_t i = 0; i < p->findings.counts_count; i++)
		if (p->findings.counts[i].code == trial_rules[TRIAL_PROVENANCE].code)
			return SEAL_E_INCOMPLETE;
	return SEAL_E_INVALID;
}

/* A place in the batch, of something that is refused until more is known. */
static struct pending *seal_begin(struct sealer *s, struct str name)
{
	struct pending *p = &s->items[s->count];

	assert(s->count < SEAL_BATCH); /* a full batch was committed */
	*p = (struct pending){ .step = DECIDED, .result = { .name = arena_copy(&s->arena, name) } };
	findings_init(&p->findings, &s->arena, FINDINGS);
	p->result.outcome = SEAL_REFUSED;
	p->result.findings = &p->findings;
	s->count++;
	return p;
}

static void keep_mappings(struct sealer *s, const struct seal_artifact *artifacts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mapping *m = arena_new(&s->arena, struct mapping);

		*m = (struct mapping){ artifacts[i].bytes, s->mappings };
		s->mappings = m;
	}
}

/* Commits when the batch is full. */
static bool seal_end(struct sealer *s, struct pending *p, struct err *err)
{
	if (p->step == DECIDED && !p->result.code)
		p->result.code = code_of(p);
	return s->count < SEAL_BATCH && s->bytes < BYTES_MAX ? true : seal_commit(s, err);
}

/* A copy with room behind it for the parser. */
static struct str copy_padded(struct sealer *s, struct str bytes)
{
	char *copy = arena_alloc(&s->arena, bytes.n + JSON_PAD, 1);

	if (bytes.n)
		memcpy(copy, bytes.p, bytes.n);
	s->bytes += bytes.n;
	return str_of(copy, bytes.n);
}

bool seal_add_with(struct sealer *s, struct str name, struct str record, const struct seal_extra *x, struct err *err)
{
	struct pending *p = seal_begin(s, name);

	if (x->are_mapped)
		keep_mappings(s, x->artifacts, x->count);
	if (record.n > SEAL_RECORD_MAX) {
		seal_refuse(s, p, json_code_name(JSON_E_LIMIT), "the record is longer than %zu MiB",
			    SEAL_RECORD_MAX >> 20);
		return seal_end(s, p, err);
	}
	p->bytes = copy_padded(s, record);
	if (!check_rules(s, p, err))
		return false;
	if (p->findings.errors == 0 && read_record(s, p) && attach(s, p, x->artifacts, x->count, x->are_mapped)) {
		add_run(s, &p->entry, x->run);
		p->step = x->refusal.p ? DECIDED : TO_APPEND;
	}
	if (p->findings.errors == 0 && x->refusal.p) {
		seal_refuse(s, p, SEAL_E_FILES, "%.*s", STR_ARG(x->refusal));
		p->result.code = SEAL_E_FILES;
	}
	return seal_end(s, p, err);
}

bool seal_add(struct sealer *s, struct str name, struct str record, const struct seal_artifact *artifacts, size_t count,
	      const struct seal_run *run, struct err *err)
{
	const struct seal_extra x = { .artifacts = artifacts, .count = count, .run = run };

	return seal_add_with(s, name, record, &x, err);
}

/* ---- a run ---- */

static struct entry_file *copy_files(struct sealer *s, const struct seal_source *run)
{
	struct entry_file *files = arena_array(&s->arena, struct entry_file, run->file_count);

	for (size_t i = 0; i < run->file_count; i++) {
		files[i] = run->files[i];
		files[i].name = arena_copy(&s->arena, files[i].name);
	}
	return files;
}

static void make_run_entry(struct sealer *s, struct pending *p, const struct seal_source *run)
{
	struct digest *suites = arena_array(&s->arena, struct digest, run->suite_count);

	if (run->suite_count)
		memcpy(suites, run->suites, run->suite_count * sizeof(*suites));
	p->entry = (struct entry){
		.kind = run->kind,
		.id = arena_copy(&s->arena, run->id),
		.sealed_at = stamp_new_ns(&s->arena, s->o.now_ns ? s->o.now_ns() : (int64_t)clock_wall_ns(), 3),
		.record = { .given = true, .digest = sha256_of(&s->sha, p->bytes), .size = p->bytes.n,
			    .media = arena_copy(&s->arena, run->media) },
		.files = copy_files(s, run), .file_count = run->file_count,
		.suites = suites, .suite_count = run->suite_count,
	};
	add_run(s, &p->entry, run->run);
	if (run->forked_from.p) {
		p->entry.forked_from.given = true;
		p->entry.forked_from.run_hash = arena_copy(&s->arena, run->forked_from);
		p->entry.forked_from.seq = run->forked_seq;
	}
	p->result.part = LEDGER_MAIN;
	p->result.kind = run->kind;
	p->result.trial_id = p->entry.id;
	p->result.digest = p->entry.record.digest;
	p->ident = entry_ident(&s->arena, &p->entry);
}

bool seal_add_run(struct sealer *s, struct str name, const struct seal_source *run, struct err *err)
{
	struct pending *p = seal_begin(s, name);
	struct err why = { .kind = ERR_NONE };

	keep_mappings(s, run->artifacts, run->artifact_count);
	p->bytes = copy_padded(s, run->record);
	make_run_entry(s, p, run);
	buf_clear(&s->text);
	if (!entry_add_text(&s->text, &p->entry, &why))
		seal_refuse(s, p, json_code_name(JSON_E_LIMIT), "%s", why.text);
	else if (attach(s, p, run->artifacts, run->artifact_count, true))
		p->step = TO_APPEND;
	return seal_end(s, p, err);
}

/* ---- the batch ---- */

/*
 * An entry that is in the log already decides without anything being written: neither the object of a record that is
 * refused, nor that of one that was erased, may come to lie in the ledger.
 */
static bool look_up(struct sealer *s, struct log *log, const struct entry *e, struct str ident, struct log_item *item,
		    bool *found, struct err *err)
{
	struct entry there;
	struct str bytes;

	if (!log->ops->find(log, ident, found, &item->index, err))
		return false;
	if (!*found)
		return true;
	if (!log_read_entry(log, s->entry_parser, &s->arena, item->index, &there, &bytes, err))
		return false;
	item->leaf = merkle_leaf(&s->sha, bytes);
	item->outcome = digest_eq(entry_digest(&there), entry_digest(e)) ? LOG_SAME : LOG_CONFLICT;
	return true;
}

/* What refers to a run does not say whether it is one or a benchmark: an id belongs to one of them. */
static bool find_namesake(struct sealer *s, struct pending *p, struct log_item *item, bool *found, struct err *err)
{
	struct log *log = s->o.ledger->logs[p->result.part];
	struct entry other = p->entry;

	if (*found || (other.kind != ENTRY_RUN && other.kind != ENTRY_BENCH))
		return true;
	other.kind = other.kind == ENTRY_RUN ? ENTRY_BENCH : ENTRY_RUN;
	if (!look_up(s, log, &other, entry_ident(&s->arena, &other), item, found, err))
		return false;
	item->outcome = LOG_CONFLICT;
	return true;
}

/* A record that is there is decided; its artifacts may still be new. */
static bool find_known(struct sealer *s, struct pending *p, struct err *err)
{
	struct log *log = s->o.ledger->logs[p->result.part];
	struct log_item item = { .index = 0 };
	bool found;

	if (!log) /* read only, and it has never been written to */
		return true;
	if (!look_up(s, log, &p->entry, p->ident, &item, &found, err) || !find_namesake(s, p, &item, &found, err))
		return false;
	if (found) {
		p->step = DECIDED;
		p->result.outcome = item.outcome == LOG_SAME ? SEAL_SAME : SEAL_CONFLICT;
		p->result.index = item.index;
		p->result.leaf = item.leaf;
	}
	return true;
}

static struct str claim_names(struct seal_names *names, const struct pending *p)
{
	struct str taken = seal_names_claim(names, p->result.part, &p->entry);

	for (size_t i = 0; i < p->attached_count && !taken.p; i++) {
		struct entry e = p->attached[i].entry;

		e.ref.trial_id = p->entry.id;
		taken = seal_names_claim(names, p->result.part, &e);
	}
	return taken;
}

/* The name of another record, or of a file that somebody put there, is not given to a second one. */
static void check_names(struct sealer *s)
{
	struct seal_names names;

	seal_names_init(&names, s->o.ledger, &s->arena);
	for (size_t i = 0; i < s->count; i++) {
		struct pending *p = &s->items[i];
		struct str taken = p->step == TO_APPEND ? claim_names(&names, p) : (struct str){ NULL, 0 };

		if (!taken.p)
			continue;
		seal_refuse(s, p, SEAL_E_NAME,
			    "%.*s: another file has the name that it would get, or a link leads there; "
			    "give the trial another id, or move the file or the link elsewhere when no entry of "
			    "the ledger "
			    "names it",
			    STR_ARG(taken));
		p->step = DECIDED;
		p->result.code = SEAL_E_INVALID;
	}
}

/* Marks those that an earlier one of the batch will decide: their objects are there then, or unwanted. */
static void find_twins(struct sealer *s)
{
	struct map seen[LEDGER_PARTS];
	bool added;

	for (size_t i = 0; i < LEDGER_PARTS; i++)
		map_init(&seen[i], &s->arena);
	for (size_t i = 0; i < s->count; i++) {
		struct pending *p = &s->items[i];

		if (p->step != TO_APPEND)
			continue;
		map_add(&seen[p->result.part], p->ident, &added);
		p->is_twin = !added;
	}
}

/* One thing to append, an entry with its object or (bytes.p NULL) without. */
struct load {
	const struct entry *entry;
	struct str bytes, ident;
	void *owner;
};

/* Puts the objects, then appends. The items are in the order of the loads, and in the arena. */
static struct log_item *seal_append(struct sealer *s, enum ledger_part part, const struct load *loads,
				    size_t count, struct err *err)
{
	struct log_item *items = arena_array(&s->arena, struct log_item, count);
	struct digest *digests = arena_array(&s->arena, struct digest, count);
	struct str *objects = arena_array(&s->arena, struct str, count);
	struct digest *wanted = arena_array(&s->arena, struct digest, count);
	struct log *log = s->o.ledger->logs[part];
	size_t puts = 0;

	for (size_t i = 0; i < count; i++) {
		buf_clear(&s->text);
		if (!entry_add_text(&s->text, loads[i].entry, err))
			return NULL;
		items[i] = (struct log_item){ .ident = loads[i].ident, .digest = entry_digest(loads[i].entry) };
		items[i].entry = arena_copy(&s->arena, buf_str(&s->text));
		if (loads[i].bytes.p) {
			wanted[puts] = loads[i].entry->record.digest;
			objects[puts++] = loads[i].bytes;
		}
	}
	if (count == 0)
		return items;
	if (puts && !log->ops->put_objects(log, objects, puts, digests, err))
		return NULL;
	/* a mapping shows what is in its file now: no entry may name bytes that are not there */
	for (size_t i = 0; i < puts; i++)
		if (!digest_eq(digests[i], wanted[i]) &&
		    !err_set(err, ERR_DATA, "a file has changed while it was sealed" ERR_HELP
			     "wait until nobody writes to it, and add it again"))
			return NULL;
	return log_append(log, items, count, err) ? items : NULL;
}

/* Appends the records of one log that nothing like was found of, and notes where each is now. */
static bool append_records(struct sealer *s, enum ledger_part part, struct err *err)
{
	struct load *loads = arena_array(&s->arena, struct load, SEAL_BATCH);
	struct log_item *items;
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct pending *p = &s->items[i];

		if (p->step == TO_APPEND && p->result.part == part)
			loads[count++] = (struct load){ .entry = &p->entry, .ident = p->ident, .owner = p,
							.bytes = p->is_twin ? (struct str){ NULL, 0 } : p->bytes };
	}
	items = seal_append(s, part, loads, count, err);
	if (!items)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct pending *p = loads[i].owner;

		p->step = DECIDED;
		p->result.outcome = items[i].outcome == LOG_ADDED  ? SEAL_ADDED :
				    items[i].outcome == LOG_SAME ? SEAL_SAME :
								   SEAL_CONFLICT;
		p->result.index = items[i].index;
		p->result.leaf = items[i].leaf;
	}
	return true;
}

/* What belonged to a trial that was erased stays away. */
static bool is_erased(struct sealer *s, struct pending *p, bool *out, struct err *err)
{
	struct log *log = s->o.ledger->logs[p->result.part];
	struct entry erase = {
		.kind = ENTRY_ERASE,
		.id = p->entry.id,
		.experiment = p->entry.experiment,
		.ref = { .given = true, .trial_id = p->entry.id },
	};
	uint64_t index;

	*out = false;
	return p->result.outcome != SEAL_SAME ||
	       log->ops->find(log, entry_ident(&s->arena, &erase), out, &index, err);
}

static void note_artifact(struct pending *p, const struct entry *e)
{
	struct finding f = { .code = SEAL_E_CONFLICT, .severity = SEV_ERROR };

	f.message = arena_printf(p->findings.arena, "the ledger has another artifact under the name %.*s",
				 STR_ARG(e->id));
	findings_add(&p->findings, &f);
	p->result.outcome = SEAL_CONFLICT;
}

/*
 * Those artifacts of a trial that are not in the log yet. Of an erased trial none; one with other bytes is a conflict.
 */
static bool gather_artifacts(struct sealer *s, struct pending *p, struct load *loads, size_t *count, struct err *err)
{
	struct log *log = s->o.ledger->logs[p->result.part];
	struct log_item item = { .index = 0 };
	bool erased, found;

	if (p->result.outcome != SEAL_ADDED && p->result.outcome != SEAL_SAME)
		return true;
	if (p->attached_count && !is_erased(s, p, &erased, err))
		return false;
	for (size_t i = 0; i < p->attached_count && !erased; i++) {
		struct attached *from = &p->attached[i];
		struct str ident;

		from->entry.ref = (struct entry_ref){
			.given = true, .trial_id = p->entry.id, .index = p->result.index, .leaf = p->result.leaf,
		};
		ident = entry_ident(&s->arena, &from->entry);
		if (!look_up(s, log, &from->entry, ident, &item, &found, err))
			return false;
		if (found && item.outcome == LOG_CONFLICT)
			note_artifact(p, &from->entry);
		if (!found)
			loads[(*count)++] = (struct load){ .entry = &from->entry, .bytes = from->bytes, .ident = ident,
							   .owner = p };
	}
	return true;
}

/* In a second append: an artifact's entry names the index and the leaf of its trial. */
static bool append_artifacts(struct sealer *s, enum ledger_part part, struct err *err)
{
	struct log_item *items;
	size_t room = 0, count = 0;
	struct load *loads;

	for (size_t i = 0; i < s->count; i++)
		room += s->items[i].result.part == part ? s->items[i].attached_count : 0;
	if (room == 0)
		return true;
	loads = arena_array(&s->arena, struct load, room);
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].result.part == part && !gather_artifacts(s, &s->items[i], loads, &count, err))
			return false;
	items = seal_append(s, part, loads, count, err);
	if (!items)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (items[i].outcome == LOG_CONFLICT)
			note_artifact(loads[i].owner, loads[i].entry);
		else
			ledger_link(s->o.ledger, part, loads[i].entry);
	}
	return true;
}

static bool append_part(struct sealer *s, enum ledger_part part, struct err *err)
{
	if (!append_records(s, part, err))
		return false;
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].result.part == part && s->items[i].result.outcome == SEAL_ADDED)
			ledger_link(s->o.ledger, part, &s->items[i].entry);
	return append_artifacts(s, part, err);
}

/* As if those before it in the batch had been appended. */
static void decide_dry(struct sealer *s, struct pending *p)
{
	p->result.outcome = SEAL_ADDED;
	for (size_t i = 0; p->is_twin && &s->items[i] != p; i++) {
		const struct pending *before = &s->items[i];

		if (before->result.part != p->result.part || !str_eq(before->ident, p->ident))
			continue;
		if (digest_eq(entry_digest(&before->entry), entry_digest(&p->entry)))
			p->result.outcome = SEAL_SAME;
		else
			p->result.outcome = SEAL_CONFLICT;
		break;
	}
	p->step = DECIDED;
}

static bool write_all(struct sealer *s, struct err *err)
{
	for (size_t i = 0; i < s->count && s->o.dry_run; i++)
		if (s->items[i].step == TO_APPEND)
			decide_dry(s, &s->items[i]);
	for (unsigned part = 0; part < LEDGER_PARTS && !s->o.dry_run; part++)
		if (!append_part(s, part, err))
			return false;
	return true;
}

/* Nothing is written before every record of the batch was looked up and has its names. */
static bool commit(struct sealer *s, struct err *err)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].step == TO_APPEND && !find_known(s, &s->items[i], err))
			return false;
	check_names(s);
	find_twins(s);
	if (!write_all(s, err))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		struct seal_result *r = &s->items[i].result;

		if (r->outcome == SEAL_CONFLICT)
			r->code = SEAL_E_CONFLICT;
		if (s->items[i].findings.kept_count == 0)
			r->findings = NULL;
		if (s->o.each && !s->o.each(s->o.context, r, err))
			return false;
	}
	return true;
}

bool seal_commit(struct sealer *s, struct err *err)
{
	bool done = commit(s, err);

	clear(s);
	return done;
}
