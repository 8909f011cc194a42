/*
 * Spans of a run. The parent of a span must have its time around it, or backends cut it off: so it is the latest of
 * the node's parents that does, else the root, and every other parent is a link. Ids come from the run's own, so that
 * the same run exported twice is the same trace.
 */
#include "base/crypto/sha256.h"
#include "base/id.h"
#include "base/utf8.h"
#include "sink/export/otlp.h"

/* ---- attributes ---- */

static struct otlp_attribute *add_attribute(struct otlp_attributes *a, struct str key, enum otlp_type type)
{
	struct otlp_attribute *one;

	if (key.n == 0)
		return NULL;
	if (a->count == EXPORT_ATTRIBUTES) {
		a->dropped++;
		return NULL;
	}
	one = &a->list[a->count++];
	*one = (struct otlp_attribute){ .key = key, .type = type };
	return one;
}

void otlp_add_text(struct otlp_attributes *a, struct str key, struct str text)
{
	struct otlp_attribute *one = text.p ? add_attribute(a, key, OTLP_TEXT) : NULL;

	if (one)
		one->text = utf8_cut(text, OTLP_TEXT_MAX);
}

void otlp_add_texts(struct otlp_attributes *a, struct str key, const struct str *texts, size_t count)
{
	struct otlp_attribute *one = count ? add_attribute(a, key, OTLP_TEXTS) : NULL;

	if (!one)
		return;
	one->texts = texts;
	one->count = count < OTLP_LIST ? count : OTLP_LIST;
}

void otlp_add_int(struct otlp_attributes *a, struct str key, int64_t n)
{
	struct otlp_attribute *one = add_attribute(a, key, OTLP_INT);

	if (one)
		one->n = n;
}

void otlp_add_double(struct otlp_attributes *a, struct str key, double d)
{
	struct otlp_attribute *one = add_attribute(a, key, OTLP_DOUBLE);

	if (one)
		one->d = d;
}

void otlp_add_bool(struct otlp_attributes *a, struct str key, bool b)
{
	struct otlp_attribute *one = add_attribute(a, key, OTLP_BOOL);

	if (one)
		one->b = b;
}

/* ---- ids ---- */

static bool all_zero(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

/* OTLP has no id of zeros: then the digest itself is digested. */
static struct digest digest_of(struct sha256 *h, struct str label, struct str trace, struct str node, size_t used)
{
	struct digest d;

	sha256_add(h, label);
	sha256_add(h, trace);
	if (node.p) {
		sha256_add(h, str_of("", 1));
		sha256_add(h, node);
	}
	d = sha256_end(h);
	sha256_restart(h);
	while (all_zero(d.b, used)) {
		sha256_add(h, str_of((const char *)d.b, sizeof(d.b)));
		d = sha256_end(h);
		sha256_restart(h);
	}
	return d;
}

struct otlp_ids otlp_ids_of(struct sha256 *hash, struct str trace, struct str node)
{
	static const char of_trace[] = "agent-trace/trace", of_span[] = "agent-trace/span"; /* with their NUL */
	struct otlp_ids ids;
	struct digest d;
	struct id id;

	if ((id_parse_uuid(trace, &id) || id_parse_ulid(trace, &id)) && !all_zero(id.b, sizeof(id.b))) {
		memcpy(ids.trace, id.b, sizeof(ids.trace));
	} else {
		d = digest_of(hash, str_of(of_trace, sizeof(of_trace)), trace, str_of(NULL, 0), sizeof(ids.trace));
		memcpy(ids.trace, d.b, sizeof(ids.trace));
	}
	d = digest_of(hash, str_of(of_span, sizeof(of_span)), trace, node, sizeof(ids.span));
	memcpy(ids.span, d.b, sizeof(ids.span));
	return ids;
}

/* ---- spans ---- */

struct maker {
	const struct export_options *o;
	const struct trace *t;
	struct sha256 hash;
	struct map seen;  /* how often an id came: a second node of one id is another span */
	struct arena arena, scratch; /* of the run, of the span */
	struct otlp_span span;
};

static struct str name_in(const struct maker *m, enum otlp_name name)
{
	return otlp_name(name, m->o->profile);
}

static void add_text(struct maker *m, enum otlp_name name, struct str text)
{
	size_t limit = m->o->text_limit;

	otlp_add_text(&m->span.attributes, name_in(m, name), limit && text.p ? utf8_cut(text, limit) : text);
}

static void add_int(struct maker *m, enum otlp_name name, struct figure f)
{
	if (figure_is_known(f))
		otlp_add_int(&m->span.attributes, name_in(m, name), (int64_t)f.n);
}

/* Negative: not known. */
static void add_double(struct maker *m, enum otlp_name name, double d)
{
	if (d >= 0)
		otlp_add_double(&m->span.attributes, name_in(m, name), d);
}

static void add_truth(struct maker *m, enum otlp_name name, uint8_t truth)
{
	if (truth == TRUTH_TRUE || truth == TRUTH_FALSE)
		otlp_add_bool(&m->span.attributes, name_in(m, name), truth == TRUTH_TRUE);
}

static void add_mark(struct maker *m, enum otlp_name name, bool is_set)
{
	add_truth(m, name, is_set ? TRUTH_TRUE : TRUTH_ABSENT);
}

/* Times before 1970 do not exist in OTLP. */
static void set_times(struct maker *m, int64_t from, int64_t to)
{
	bool skewed = to < from;

	from += m->o->shift_ns;
	to = skewed ? from : to + m->o->shift_ns;
	m->span.from_ns = from > 0 ? (uint64_t)from : 0;
	m->span.to_ns = to > 0 ? (uint64_t)to : 0;
	add_mark(m, OTLP_NAME_SKEW, skewed);
}

static void set_name(struct maker *m, struct str front, struct str name)
{
	m->span.name = name.n ? ARENA_JOIN(&m->scratch, front, STR(" "), utf8_cut(name, OTLP_TEXT_MAX)) : front;
}

static void begin_span(struct maker *m)
{
	arena_reset(&m->scratch);
	m->span.has_parent = m->span.has_status = m->span.failed = false;
	m->span.attributes.count = m->span.attributes.dropped = 0;
	m->span.link_count = m->span.dropped_links = 0;
	m->span.link_key = name_in(m, OTLP_NAME_LINK);
}

static void fail_span(struct maker *m)
{
	m->span.failed = true;
	add_text(m, OTLP_NAME_ERROR, STR("_OTHER"));
}

/* ---- nodes ---- */

static void add_source(struct maker *m, enum otlp_name name, struct figure f)
{
	if (figure_is_known(f))
		add_text(m, name, f.source == FIGURE_API ? STR("api") : STR("estimated"));
}

/* The conventions' words for why an answer ended. */
static struct str finish_of(struct str stop)
{
	static const struct {
		struct str ours, theirs;
	} words[] = {
		{ WORD("tool_use"), WORD("tool_call") },
		{ WORD("end_turn"), WORD("stop") },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (str_eq(stop, words[i].ours))
			return words[i].theirs;
	return stop;
}

static void add_finish(struct maker *m, struct str stop)
{
	struct str *word;

	if (stop.n == 0)
		return;
	word = arena_new(&m->scratch, struct str);
	*word = finish_of(stop);
	otlp_add_texts(&m->span.attributes, name_in(m, OTLP_NAME_FINISH), word, 1);
}

/* What the call does not say is left out: none of these attributes has a value that means "unknown". */
static void put_model(struct maker *m, const struct trace_entry *e)
{
	struct otlp_call c = otlp_call_of(e, m->t->format);
	const struct usage *u = &e->row.usage;

	m->span.kind = OTLP_CLIENT;
	set_name(m, c.operation, c.model);
	add_text(m, OTLP_NAME_OPERATION, c.operation);
	add_text(m, OTLP_NAME_SPAN_KIND, str_eq(c.operation, STR("embeddings")) ? STR("EMBEDDING") : STR("LLM"));
	add_text(m, OTLP_NAME_PROVIDER, c.provider);
	add_text(m, OTLP_NAME_REQUEST_MODEL, c.model);
	add_text(m, OTLP_NAME_ADDRESS, c.address);
	if (c.port)
		add_int(m, OTLP_NAME_PORT, FIGURE(c.port));
	add_int(m, OTLP_NAME_INPUT, u->input);
	add_int(m, OTLP_NAME_OUTPUT, u->output);
	add_int(m, OTLP_NAME_CACHE_READ, u->cache_read);
	add_int(m, OTLP_NAME_CACHE_WRITE, u->cache_write);
	add_int(m, OTLP_NAME_REASONING, u->reasoning);
	add_mark(m, OTLP_NAME_STREAM, e->stream == TRUTH_TRUE);
	add_double(m, OTLP_NAME_TTFT, e->row.ttft);
	add_finish(m, e->stop_reason);
	add_text(m, OTLP_NAME_RESPONSE_ID, e->response_id);
	add_text(m, OTLP_NAME_REQUEST_ID, e->request_id);
	add_source(m, OTLP_NAME_INPUT_SOURCE, u->input);
	add_source(m, OTLP_NAME_OUTPUT_SOURCE, u->output);
	add_double(m, OTLP_NAME_TPOT, e->tpot);
	if (amount_is_known(e->row.usd)) {
		add_double(m, OTLP_NAME_COST, e->row.usd.n);
		add_text(m, OTLP_NAME_COST_SOURCE, e->row.usd.source == FIGURE_API ? STR("api") : STR("estimated"));
	}
	add_text(m, OTLP_NAME_KV, e->measured ? STR("measured") : str_of(NULL, 0));
	add_mark(m, OTLP_NAME_REFUSED, e->refused);
	add_mark(m, OTLP_NAME_TOTAL_ONLY, e->row.total_only);
	if (e->row.failed)
		fail_span(m);
}

static void put_tool(struct maker *m, const struct trace_entry *e)
{
	m->span.kind = OTLP_INTERNAL;
	set_name(m, STR("execute_tool"), e->row.tool);
	add_text(m, OTLP_NAME_OPERATION, STR("execute_tool"));
	add_text(m, OTLP_NAME_SPAN_KIND, STR("TOOL"));
	add_text(m, OTLP_NAME_TOOL, e->row.tool.p ? e->row.tool : STR("unknown"));
	if (e->external != TRUTH_ABSENT)
		add_text(m, OTLP_NAME_TOOL_TYPE, e->external == TRUTH_TRUE ? STR("extension") : STR("function"));
	add_text(m, OTLP_NAME_TOOL_CALL, e->call_id);
	add_text(m, OTLP_NAME_ARGS_HASH, e->args_hash);
	add_text(m, OTLP_NAME_RESULT_HASH, e->result_hash);
	add_truth(m, OTLP_NAME_EXTERNAL, e->external);
	add_truth(m, OTLP_NAME_IO_BOUND, e->io_bound);
	add_double(m, OTLP_NAME_STALL, e->row.stall);
	add_int(m, OTLP_NAME_SIZE, e->size);
	add_text(m, OTLP_NAME_RESULT_KIND, e->result_kind);
}

static void put_other(struct maker *m, const struct trace_entry *e)
{
	struct str kind = agent_trace_kinds[e->row.kind];

	m->span.kind = OTLP_INTERNAL;
	set_name(m, kind, e->row.branch);
	add_text(m, OTLP_NAME_SPAN_KIND, STR("CHAIN"));
	add_text(m, OTLP_NAME_BRANCH, e->row.branch);
	otlp_add_texts(&m->span.attributes, name_in(m, OTLP_NAME_SIBLINGS), e->siblings, e->sibling_count);
	if (e->sibling_count > OTLP_LIST)
		add_int(m, OTLP_NAME_SIBLING_COUNT, FIGURE(e->sibling_count));
}

/* ---- edges ---- */

static struct otlp_ids ids_of_node(struct maker *m, uint32_t place)
{
	return otlp_ids_of(&m->hash, m->t->id, m->t->nodes[place].row.id);
}

/* Ordered by time and place, so that no two are around each other. */
static bool is_around(const struct trace *t, uint32_t outer, uint32_t inner)
{
	const struct trace_entry *a = &t->nodes[outer], *b = &t->nodes[inner];

	if (a->from_ns > b->from_ns || a->to_ns < b->to_ns || b->to_ns < b->from_ns)
		return false;
	return a->from_ns < b->from_ns || a->to_ns > b->to_ns || outer < inner;
}

/* The latest-starting parent with this node inside it; TRACE_NOWHERE for the root. */
static uint32_t choose_parent(const struct trace *t, uint32_t place)
{
	uint32_t best = TRACE_NOWHERE;

	for (uint32_t k = 0; k < t->nodes[place].parent_count; k++) {
		uint32_t parent = t->parents[place][k];

		if (parent == TRACE_NOWHERE || !is_around(t, parent, place))
			continue;
		if (best == TRACE_NOWHERE || t->nodes[parent].from_ns > t->nodes[best].from_ns)
			best = parent;
	}
	return best;
}

static void add_link(struct maker *m, uint32_t parent)
{
	if (m->span.link_count == OTLP_LINKS)
		m->span.dropped_links++;
	else
		m->span.links[m->span.link_count++] = ids_of_node(m, parent);
}

static void add_edges(struct maker *m, uint32_t place)
{
	const struct trace_entry *e = &m->t->nodes[place];
	uint32_t chosen = choose_parent(m->t, place);
	struct str *missing = e->parent_count ? arena_array(&m->scratch, struct str, e->parent_count) : NULL;
	struct otlp_ids parent = chosen == TRACE_NOWHERE ? otlp_ids_of(&m->hash, m->t->id, OTLP_ROOT)
							 : ids_of_node(m, chosen);
	size_t missing_count = 0;

	memcpy(m->span.parent, parent.span, sizeof(m->span.parent));
	m->span.has_parent = true;
	for (uint32_t k = 0; k < e->parent_count; k++) {
		if (m->t->parents[place][k] == TRACE_NOWHERE)
			missing[missing_count++] = e->parents[k];
		else if (m->t->parents[place][k] != chosen)
			add_link(m, m->t->parents[place][k]);
	}
	otlp_add_texts(&m->span.attributes, name_in(m, OTLP_NAME_MISSING), missing, missing_count);
}

/* The second node of an id is "id", a NUL and 2 for its span: nobody can name it as a parent. */
static void set_ids(struct maker *m, const struct trace_entry *e)
{
	struct str id = e->row.id.p ? e->row.id : STR("");
	bool added;
	uint64_t *times = map_add(&m->seen, id, &added);

	if (++*times > 1)
		id = arena_printf(&m->scratch, "%.*s%c%llu", (int)utf8_cut(id, 4096).n, id.p, 0,
				  (unsigned long long)*times);
	m->span.ids = otlp_ids_of(&m->hash, m->t->id, id);
}

static void make_node(struct maker *m, uint32_t place)
{
	const struct trace_entry *e = &m->t->nodes[place];

	begin_span(m);
	set_ids(m, e);
	add_text(m, OTLP_NAME_NODE_ID, e->row.id);
	add_text(m, OTLP_NAME_NODE_KIND, agent_trace_kinds[e->row.kind]);
	add_text(m, OTLP_NAME_FRAMEWORK, e->row.framework);
	add_text(m, OTLP_NAME_CONVERSATION, m->t->id);
	add_text(m, OTLP_NAME_AGENT_ID, e->row.agent);
	if (e->row.kind == AT_MODEL_CALL)
		put_model(m, e);
	else if (e->row.kind == AT_TOOL_CALL)
		put_tool(m, e);
	else
		put_other(m, e);
	add_mark(m, OTLP_NAME_PARTIAL, e->row.partial);
	add_mark(m, OTLP_NAME_INFERRED, e->row.inferred);
	add_edges(m, place);
	set_times(m, e->from_ns, e->to_ns);
}

/* ---- the root ---- */

/* That of all model calls when it is one, else the framework. */
static struct str provider_of_run(const struct trace *t)
{
	struct str one = { NULL, 0 };

	for (size_t i = 0; i < t->count; i++) {
		struct str provider;

		if (t->nodes[i].row.kind != AT_MODEL_CALL)
			continue;
		provider = otlp_call_of(&t->nodes[i], t->format).provider;
		if (one.p && !str_eq(one, provider))
			return t->framework;
		one = provider;
	}
	return one.p ? one : t->framework;
}

/* As wide as all nodes, or readers cut those off that are outside. Times that are not the run's own are told apart. */
static void set_root_times(struct maker *m)
{
	const struct trace *t = m->t;
	int64_t from = t->from_ns, to = t->to_ns;

	for (size_t i = 0; i < t->count; i++) {
		const struct trace_entry *e = &t->nodes[i];
		int64_t end = e->to_ns < e->from_ns ? e->from_ns : e->to_ns;

		from = e->from_ns > 0 && e->from_ns < from ? e->from_ns : from;
		to = end > to ? end : to;
	}
	set_times(m, from, to);
	if (from != t->from_ns)
		otlp_add_int(&m->span.attributes, name_in(m, OTLP_NAME_REAL_START), t->from_ns);
	if (to != t->to_ns)
		otlp_add_int(&m->span.attributes, name_in(m, OTLP_NAME_REAL_END), t->to_ns);
}

static void make_root(struct maker *m)
{
	const struct trace *t = m->t;

	begin_span(m);
	m->span.ids = otlp_ids_of(&m->hash, t->id, OTLP_ROOT);
	m->span.kind = OTLP_INTERNAL;
	m->span.has_status = true;
	set_name(m, STR("invoke_agent"), t->framework);
	add_text(m, OTLP_NAME_OPERATION, STR("invoke_agent"));
	add_text(m, OTLP_NAME_SPAN_KIND, STR("AGENT"));
	add_text(m, OTLP_NAME_AGENT_PROVIDER, provider_of_run(t));
	add_text(m, OTLP_NAME_AGENT, t->framework);
	add_text(m, OTLP_NAME_CONVERSATION, t->id);
	add_text(m, OTLP_NAME_TRACE_ID, t->id);
	add_text(m, OTLP_NAME_EXIT, trace_statuses[t->status]);
	add_text(m, OTLP_NAME_ENGINE, t->summary.row.engine);
	add_text(m, OTLP_NAME_RIG, t->summary.row.rig);
	add_truth(m, OTLP_NAME_REDACTED, t->summary.prompts_redacted);
	if (m->o->shift_ns)
		otlp_add_double(&m->span.attributes, name_in(m, OTLP_NAME_SHIFT), (double)m->o->shift_ns / 1e9);
	add_mark(m, OTLP_NAME_LAID_OUT, t->laid_out);
	if (t->status == TRACE_ERROR)
		fail_span(m);
	set_root_times(m);
}

bool otlp_make_spans(const struct export_options *o, const struct trace *t,
		     bool (*each)(void *context, const struct otlp_span *s), void *context)
{
	struct maker *m = mem_alloc(sizeof(*m)); /* a span is too large for the stack */
	bool good;

	memset(m, 0, sizeof(*m));
	m->o = o;
	m->t = t;
	sha256_init(&m->hash);
	arena_init(&m->arena);
	arena_init(&m->scratch);
	map_init(&m->seen, &m->arena);
	make_root(m);
	good = each(context, &m->span);
	for (size_t i = 0; good && i < t->count; i++) {
		make_node(m, (uint32_t)i);
		good = each(context, &m->span);
	}
	sha256_free(&m->hash);
	arena_free(&m->arena);
	arena_free(&m->scratch);
	mem_free(m);
	return good;
}
