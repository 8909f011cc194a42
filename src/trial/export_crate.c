/* Exports a ledger as an RO-Crate: records and one JSON file about them. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/map.h"
#include "json/put.h"
#include "ledger/index.h"
#include "ledger/proof.h"
#include "sink/export/crate_entity.h"
#include "sink/export/dir.h"
#include "sink/spool.h"
#include "trial/export.h"

#define SHORT 32 /* digits of a digest in a name */

/*
 * The metadata is one JSON document whose root lists everything that follows. What it lists is gathered in spools
 * beside the entities themselves, and put together at the end, so that memory does not grow with the ledger. Only
 * agents, models, images and inputs are remembered, by a digest: each is described once.
 */
struct crate {
	const struct export_options *o;
	struct export_dir *dir;
	struct index *index;
	struct spool parts, mentions, graph;
	uint64_t part_count, mention_count;
	struct map described; /* @id of shared entities */
	struct arena arena;   /* of that */
	struct json_parser *parser;
	struct sha256 sha;
	struct buf text;      /* of the entity at hand */
	struct json_writer w;
	char newest[36];      /* sealed_at, the latest: all are written alike */
	struct log_hashes *hashes[LEDGER_PARTS];
	bool has_head[LEDGER_PARTS];
};

/* ---- entities ---- */

static void add_string(struct crate *c, const char *name, struct str value)
{
	json_put_text(&c->w, name, value);
}

static void add_link(struct crate *c, const char *name, struct str id)
{
	crate_put_link(&c->w, name, id);
}

static void begin_entity(struct crate *c, struct str id, const char *type)
{
	buf_clear(&c->text);
	crate_begin(&c->w, &c->text, id, type);
}

/* Entities go to the spool as they are finished, with commas between them. */
static bool keep_entity(struct crate *c, struct err *err)
{
	return (c->graph.bytes == 0 || spool_add(&c->graph, STR(",\n"), err)) &&
	       spool_add(&c->graph, buf_str(&c->text), err);
}

static bool end_entity(struct crate *c, struct err *err)
{
	json_write_end_object(&c->w);
	return keep_entity(c, err);
}

/* One more in a list of references on the disk. */
static bool list(struct spool *to, uint64_t *count, struct str id, struct err *err)
{
	struct buf text;
	bool done;

	buf_init(&text);
	crate_add_reference(&text, (*count)++ == 0, id);
	done = spool_add(to, buf_str(&text), err);
	buf_free(&text);
	return done;
}

/* A path as a reference: of what entry_path_part leaves, only the percent sign has a meaning there. */
static struct str id_of_path(struct arena *a, struct str path)
{
	struct buf id;

	buf_init(&id);
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '%')
			buf_add_str(&id, STR("%25"));
		else
			buf_add_byte(&id, path.p[i]);
	return arena_take(a, &id);
}

/* A name for what has none: the beginning of a digest over what it is. */
static struct str id_of_parts(struct crate *c, struct arena *a, const char *what, struct str one, struct str two,
			      struct str three)
{
	char hex[SHA256_HEX];

	digest_hex(hex, sha256_of(&c->sha, ARENA_JOIN(a, one, str_of("", 1), two, str_of("", 1), three)));
	return arena_printf(a, "#%s-%.*s", what, SHORT, hex);
}

/* False when it was described before. */
static bool is_new(struct crate *c, struct str id)
{
	bool added;

	map_add(&c->described, id, &added);
	return added;
}

/* ---- files ---- */

struct file {
	struct str path, bytes, media;
	struct str name, about; /* about: the action; p NULL: none */
	const char *what;       /* a sentence */
};

/* Writes the file, lists it and describes it. *id gets its reference. */
static bool add_file(struct crate *c, struct arena *a, const struct file *f, struct str *id, struct err *err)
{
	*id = id_of_path(a, f->path);
	if (!export_dir_put(c->dir, f->path, f->bytes, err) || !list(&c->parts, &c->part_count, *id, err))
		return false;
	begin_entity(c, *id, "File");
	crate_put_file(&c->w, f->name, f->what, f->media, f->bytes.n, sha256_of(&c->sha, f->bytes), f->about);
	return end_entity(c, err);
}

static struct str part_top(enum ledger_part p)
{
	return p == LEDGER_DIAGNOSTIC ? STR("diagnostic/") : STR("");
}

/* The checkpoint that all proofs of this log have, and the key it is signed by. */
static bool add_head(struct crate *c, struct arena *a, const struct export_item *x, struct err *err)
{
	struct file note = {
		.path = ARENA_JOIN(a, part_top(x->part), STR("checkpoint")), .bytes = x->note,
		.media = STR("text/plain"),
		.what = "The checkpoint (C2SP tlog-checkpoint) that the proofs lead to.",
		.name = ARENA_JOIN(a, STR("signed head of the log "), x->log->origin),
	};
	struct file vkey = {
		.path = ARENA_JOIN(a, part_top(x->part), STR("vkey")), .media = STR("text/plain"),
		.what = "What the checkpoint is signed by, as a C2SP signed-note verifier key.",
		.name = ARENA_JOIN(a, STR("public key of the log "), x->log->origin),
	};
	struct str id;

	if (c->has_head[x->part])
		return true;
	c->has_head[x->part] = true;
	vkey.bytes = ARENA_JOIN(a, key_text(a, &x->log->key), STR("\n"));
	return add_file(c, a, &note, &id, err) && add_file(c, a, &vkey, &id, err);
}

/* Two files beside a trial: the proof that its entry is in the log, and the entry, which the proof is about. */
static bool add_proof(struct crate *c, struct arena *a, const struct export_item *x, struct str action, struct str path,
		      struct err *err)
{
	struct proof *p = arena_new(a, struct proof);
	struct tree_reader reader;
	struct file f = { .about = action };
	struct buf text;
	struct str id;

	if (!c->hashes[x->part])
		c->hashes[x->part] = log_hashes_open(x->log, x->size);
	reader = log_hashes_reader(c->hashes[x->part]);
	p->index = x->index;
	p->checkpoint = x->note;
	if (!tree_prove_inclusion(&c->sha, &reader, x->index, x->size, &p->path, err))
		return false;
	buf_init(&text);
	proof_add_text(&text, p);
	f.bytes = arena_take(a, &text);
	f.path = ARENA_JOIN(a, part_top(x->part), STR("proofs/"), path, STR(".tlog-proof"));
	f.media = STR("text/plain");
	f.name = ARENA_JOIN(a, STR("proof that the entry of "), x->entry.id, STR(" is in the log"));
	f.what = "An inclusion proof (C2SP tlog-proof) that can be checked without the log.";
	if (!add_file(c, a, &f, &id, err))
		return false;
	f.path = ARENA_JOIN(a, part_top(x->part), STR("proofs/"), path, STR(".entry"));
	f.bytes = x->bytes;
	f.media = STR("application/json");
	f.name = ARENA_JOIN(a, STR("entry of "), x->entry.id);
	f.what = "The leaf of the log: it names the record by its SHA-256.";
	return add_file(c, a, &f, &id, err);
}

/* ---- what a trial used ---- */

static struct str crate_text(struct val record, const char *pointer, struct arena *a)
{
	return val_text_or_none(val_at(record, str_from(pointer)), a);
}

static struct str or_empty(struct str s)
{
	return s.p ? s : STR("");
}

/*
 * RO-Crate 1.3 wants a version and an address of software. What we know of an agent is in its trials' records, so the
 * first of them is the address; the version stands twice, since the profile's own word for it is the other one.
 */
static bool describe_agent(struct crate *c, struct arena *a, struct val record, struct str record_id, struct str *id,
			   struct err *err)
{
	struct str adapter = or_empty(crate_text(record, "/agent/adapter", a));
	struct str model = or_empty(crate_text(record, "/agent/model", a));
	struct str revision = crate_text(record, "/agent/adapter_revision", a);
	struct str model_id = id_of_parts(c, a, "model", model, STR(""), STR(""));

	*id = id_of_parts(c, a, "agent", adapter, or_empty(revision), model);
	if (is_new(c, model_id)) {
		begin_entity(c, model_id, "CreativeWork");
		add_string(c, "name", model);
		add_string(c, "description", STR("The model that the agent asked."));
		if (!end_entity(c, err))
			return false;
	}
	if (!is_new(c, *id))
		return true;
	begin_entity(c, *id, "SoftwareApplication");
	add_string(c, "name", adapter);
	add_string(c, "softwareVersion", revision.n ? revision : STR("unknown"));
	add_string(c, "version", revision.n ? revision : STR("unknown"));
	add_link(c, "url", record_id);
	add_link(c, "softwareRequirements", model_id);
	return end_entity(c, err);
}

/* *id has p NULL when the record names no image. Each image is described once. */
static bool describe_image(struct crate *c, struct arena *a, struct val record, struct str *id, struct err *err)
{
	struct str image = crate_text(record, "/environment/runtime_image", a);

	*id = (struct str){ NULL, 0 };
	if (!image.n)
		return true;
	*id = id_of_parts(c, a, "image", image, STR(""), STR(""));
	if (!is_new(c, *id))
		return true;
	begin_entity(c, *id, "ContainerImage");
	add_string(c, "name", image);
	add_link(c, "additionalType", STR("https://w3id.org/ro/terms/workflow-run#DockerImage"));
	return end_entity(c, err);
}

/* A number or a text that is no file of ours: an input that was pinned by its hash, the reward of a trial. */
static bool describe_value(struct crate *c, struct arena *a, const char *what, struct str owner, struct str name,
			   struct str value, bool is_json, struct str *id, struct err *err)
{
	*id = id_of_parts(c, a, what, owner, name, value);
	if (!owner.n && !is_new(c, *id)) /* what has an owner is described once anyway: nothing to remember */
		return true;
	begin_entity(c, *id, "PropertyValue");
	add_string(c, "name", name);
	json_write_key(&c->w, STR("value"));
	if (is_json)
		json_write_raw(&c->w, value);
	else
		json_write_string(&c->w, value);
	return end_entity(c, err);
}

/* ---- a trial ---- */

struct refs {
	struct buf text; /* with commas */
	size_t count;
};

static void refer(struct refs *to, struct str id)
{
	crate_add_reference(&to->text, to->count++ == 0, id);
}

/* The lists of an action, as they grow. */
struct action {
	struct crate *c;
	struct arena *a;
	const struct export_item *x;
	struct str id;
	struct refs objects, results;
	bool failed; /* *err says why */
	struct err *err;
};

static bool add_inputs(struct action *t, struct val record, struct err *err)
{
	struct val_iter it = val_begin(val_at(record, STR("/inputs/input_files")));
	struct val one;
	struct str id;

	while (val_next(&it, &one)) {
		if (!describe_value(t->c, t->a, "input", STR(""), or_empty(crate_text(one, "/path", t->a)),
				    or_empty(crate_text(one, "/hash", t->a)), false, &id, err))
			return false;
		refer(&t->objects, id);
	}
	return true;
}

/* An artifact or a review of the trial, out of the index. */
static bool add_referrer(void *context, const struct index_row *row)
{
	struct action *t = context;
	const struct export_item *x = t->x;
	struct str trial = export_trial_path(t->a, x->experiment, x->entry.id), id;
	bool is_review = row->kind == ENTRY_REVIEW, found;
	struct file f = { .about = is_review ? t->id : (struct str){ NULL, 0 } };
	struct digest got;

	if (row->index >= x->size || (!is_review && row->kind != ENTRY_ARTIFACT))
		return true;
	if (!x->log->ops->object(x->log, t->a, row->digest, &f.bytes, &found, t->err)) {
		t->failed = true;
		return false;
	}
	if (!found)
		return true;
	got = sha256_of(&t->c->sha, f.bytes);
	if (!digest_eq(got, row->digest)) {
		t->failed = true;
		return err_set(t->err, ERR_DATA, "%.*s: the object of entry %llu is not the one that was sealed",
			       STR_ARG(x->log->where), (unsigned long long)row->index);
	}
	f.name = arena_copy(t->a, row->id);
	f.what = is_review ? "What a reviewer said about the trial." : "A file of the trial, sealed with it.";
	f.media = is_review ? STR("application/json") : STR("");
	f.path = is_review ? ARENA_JOIN(t->a, part_top(x->part), STR("reviews/"), trial, STR("/"),
					entry_path_part(t->a, row->id), STR(".json"))
			   : ARENA_JOIN(t->a, part_top(x->part), STR("artifacts/"), trial, STR("/"),
					export_artifact_path(t->a, f.name, x->entry.id));
	if (!add_file(t->c, t->a, &f, &id, t->err)) {
		t->failed = true;
		return false;
	}
	if (!is_review)
		refer(&t->results, id);
	return true;
}

/* What refers to the trial and was published when the export began. */
static bool add_referrers(struct action *t, struct err *err)
{
	struct index_filter f = INDEX_ANY;

	f.part = (int)t->x->part;
	f.ref_of = t->x->index;
	return index_list(t->c->index, &f, add_referrer, t, err) && !t->failed;
}

static bool add_reward(struct action *t, struct val record, struct err *err)
{
	struct val reward = val_at(record, STR("/evaluation/reward"));
	struct str id;

	if (!val_is(reward, JSON_NUMBER))
		return true;
	if (!describe_value(t->c, t->a, "reward", t->id, STR("reward"), val_raw(reward), true, &id, err))
		return false;
	refer(&t->results, id);
	return true;
}

/* The record's time is when it was written down; what it took counts back from there. */
static void add_times(struct action *t, struct val record)
{
	struct str end = crate_text(record, "/timestamp", t->a);
	struct stamp s;
	double took;
	int64_t ns;

	if (!end.p || !stamp_parse(end, &s) || !stamp_ns(&s, &ns))
		return;
	if (val_double(val_at(record, STR("/timing/total_seconds")), &took) && took >= 0 && took < 1e9 &&
	    ns > INT64_MIN / 2)
		crate_put_time(&t->c->w, "startTime", ns - (int64_t)(took * 1e9));
	crate_put_time(&t->c->w, "endTime", ns);
}

static void add_outcome(struct action *t, struct val record)
{
	bool failed = str_eq(or_empty(crate_text(record, "/outputs/agent_output/status", t->a)), STR("failed"));
	struct str why = crate_text(record, "/outputs/agent_output/error_message", t->a);

	crate_put_outcome(&t->c->w, failed, why);
}

/* A list of one is written as that one: JSON-LD knows no difference, and RO-Crate prefers it so. */
static void add_refs(struct action *t, const char *name, const struct refs *r)
{
	bool many = r->count > 1;

	if (!r->count)
		return;
	json_put_key(&t->c->w, name);
	json_write_raw(&t->c->w,
		       ARENA_JOIN(t->a, many ? STR("[") : STR(""), buf_str(&r->text), many ? STR("]") : STR("")));
}

/* All that it refers to is described by now. The root mentions it. */
static bool end_action(struct action *t, struct val record, struct str agent, struct str image, struct err *err)
{
	struct crate *c = t->c;
	struct str task = or_empty(crate_text(record, "/task/task_id", t->a));

	begin_entity(c, t->id, "CreateAction");
	add_string(c, "name", ARENA_JOIN(t->a, STR("trial "), t->x->entry.id, STR(" of "), task));
	add_string(c, "description",
		   ARENA_JOIN(t->a, STR("experiment "), t->x->experiment, STR(", task revision "),
			      or_empty(crate_text(record, "/task/task_revision", t->a)), STR(", "),
			      str_from(ledger_part_name(t->x->part)), STR(" log")));
	add_link(c, "instrument", agent);
	add_link(c, "agent", STR("#keeper"));
	if (image.p)
		add_link(c, "containerImage", image);
	add_times(t, record);
	add_outcome(t, record);
	add_refs(t, "object", &t->objects);
	add_refs(t, "result", &t->results);
	return end_entity(c, err) && list(&c->mentions, &c->mention_count, t->id, err);
}

/* A trial: its record, proof, artifacts and reviews as files, and the action that ties them together. */
static bool add_trial(struct crate *c, struct arena *a, const struct export_item *x, struct err *err)
{
	char leaf[SHA256_HEX];
	struct action t = { .c = c, .a = a, .x = x, .err = err };
	struct str path = export_trial_path(a, x->experiment, x->entry.id), agent, image, id;
	struct file record = {
		.path = ARENA_JOIN(a, part_top(x->part), STR("records/"), path, STR(".json")), .bytes = x->object,
		.media = STR("application/json"), .name = ARENA_JOIN(a, STR("record of trial "), x->entry.id),
		.what = "The trial record, byte for byte as it was sealed.",
	};
	struct val v;
	bool done;

	if (!json_parse_copy(c->parser, x->object, &v, NULL))
		return err_set(err, ERR_DATA, "%.*s: the record of entry %llu is not JSON", STR_ARG(x->log->where),
			       (unsigned long long)x->index);
	digest_hex(leaf, x->leaf);
	t.id = record.about = arena_printf(a, "#trial-%.*s", SHORT, leaf);
	buf_init(&t.objects.text);
	buf_init(&t.results.text);
	done = add_file(c, a, &record, &id, err);
	if (done) {
		refer(&t.results, id);
		done = add_proof(c, a, x, t.id, path, err) && describe_agent(c, a, v, id, &agent, err) &&
		       describe_image(c, a, v, &image, err) && add_inputs(&t, v, err) && add_referrers(&t, err) &&
		       add_reward(&t, v, err) && end_action(&t, v, agent, image, err);
	}
	buf_free(&t.results.text);
	buf_free(&t.objects.text);
	return done;
}

static bool add_item(void *context, struct arena *a, const struct export_item *x, struct err *err)
{
	struct crate *c = context;

	if (x->entry.sealed_at.n < sizeof(c->newest) &&
	    str_cmp(or_empty(x->entry.sealed_at), str_from(c->newest)) > 0) {
		memcpy(c->newest, x->entry.sealed_at.p, x->entry.sealed_at.n);
		c->newest[x->entry.sealed_at.n] = '\0';
	}
	if (!add_head(c, a, x, err))
		return false;
	return x->entry.kind != ENTRY_TRIAL || !x->has_object || add_trial(c, a, x, err);
}

/* ---- the document ---- */

/* What every crate has: the keeper, the profile, the licence. */
static bool describe_rest(struct crate *c, struct arena *a, struct err *err)
{
	struct str origin = c->o->ledger->logs[LEDGER_MAIN]->origin;

	begin_entity(c, STR("#keeper"), "Organization");
	add_string(c, "name", ARENA_JOIN(a, STR("the keeper of the log "), origin));
	if (!end_entity(c, err))
		return false;
	buf_clear(&c->text);
	crate_add_profile(&c->text);
	if (!keep_entity(c, err))
		return false;
	buf_clear(&c->text);
	crate_add_license(&c->text, c->o->license, "the keeper of the log");
	return keep_entity(c, err);
}

/* Left open in c->text, not spooled: its lists follow, straight from theirs. */
static void add_root(struct crate *c, struct arena *a, const struct export_sum *sum)
{
	struct str origin = c->o->ledger->logs[LEDGER_MAIN]->origin;
	char now[36];

	if (!c->newest[0])
		stamp_format_ns(now, (int64_t)clock_wall_ns(), 0);
	begin_entity(c, STR("./"), "Dataset");
	add_string(c, "name", ARENA_JOIN(a, STR("Trial records of "), origin));
	add_string(c, "description",
		   arena_printf(a, "%llu trials sealed in the transparency log %.*s, with a proof for each that it "
				"is there.", (unsigned long long)sum->trials, STR_ARG(origin)));
	add_string(c, "datePublished", c->newest[0] ? str_from(c->newest) : str_from(now));
	add_link(c, "license", c->o->license.p ? c->o->license : STR("#license"));
	add_link(c, "author", STR("#keeper"));
	add_link(c, "publisher", STR("#keeper"));
	add_link(c, "conformsTo", STR(CRATE_PROFILE));
}

static bool pass(void *context, struct str bytes, struct err *err)
{
	return export_dir_add(context, bytes, err);
}

/* As add_refs. */
static bool pass_refs(struct export_dir *d, const char *name, struct spool *refs, uint64_t count, struct err *err)
{
	const char *open = count > 1 ? "[" : "", *close = count > 1 ? "]" : "";
	char head[32];

	snprintf(head, sizeof(head), ",\"%s\":%s", name, open);
	return count == 0 || (export_dir_add(d, str_from(head), err) && spool_pass(refs, pass, d, err) &&
			      export_dir_add(d, str_from(close), err));
}

/* The root first, as RO-Crate asks, then the entities as they were spooled. */
static bool write_document(struct crate *c, struct arena *a, const struct export_sum *sum, struct err *err)
{
	struct export_dir *d = c->dir;

	if (!describe_rest(c, a, err) || !export_dir_begin(d, STR(CRATE_METADATA), err) ||
	    !export_dir_add(d, str_from(crate_head), err))
		return false;
	add_root(c, a, sum); /* the entity is left open for its lists */
	return export_dir_add(d, buf_str(&c->text), err) && pass_refs(d, "hasPart", &c->parts, c->part_count, err) &&
	       pass_refs(d, "mentions", &c->mentions, c->mention_count, err) && export_dir_add(d, STR("},\n"), err) &&
	       spool_pass(&c->graph, pass, d, err) && export_dir_add(d, STR("\n]}\n"), err) && export_dir_end(d, err);
}

static void crate_init(struct crate *c, const struct export_options *o)
{
	*c = (struct crate){ .o = o };
	spool_init(&c->parts);
	spool_init(&c->mentions);
	spool_init(&c->graph);
	arena_init(&c->arena);
	map_init(&c->described, &c->arena);
	sha256_init(&c->sha);
	buf_init(&c->text);
	c->parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true });
}

static void crate_free(struct crate *c)
{
	for (int p = 0; p < LEDGER_PARTS; p++)
		if (c->hashes[p])
			log_hashes_close(c->hashes[p]);
	json_parser_close(c->parser);
	buf_free(&c->text);
	sha256_free(&c->sha);
	arena_free(&c->arena);
	spool_free(&c->graph);
	spool_free(&c->mentions);
	spool_free(&c->parts);
	if (c->index)
		index_close(c->index);
}

bool export_crate(const struct export_options *o, struct export_sum *sum, struct err *err)
{
	struct arena a;
	struct crate c;
	bool done;

	crate_init(&c, o);
	c.index = index_open(o->ledger, o->tick, o->tick_context, err);
	c.dir = c.index ? export_dir_open(o->io, o->dir, o->force, err) : NULL;
	if (!c.dir) {
		crate_free(&c);
		return false;
	}
	arena_init(&a);
	done = export_walk(o, sum, add_item, &c, err) && write_document(&c, &a, sum, err);
	arena_free(&a);
	if (done)
		done = export_dir_commit(c.dir, err);
	else
		export_dir_abort(c.dir);
	crate_free(&c);
	return done;
}
