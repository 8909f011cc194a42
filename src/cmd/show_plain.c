/* Fields parted by tabs, seconds and counts with all their digits: for cut, awk and sort. */
#include <inttypes.h>

#include "base/clock.h"
#include "cmd/show.h"

static void show_plain_add_text(struct buf *out, struct str text)
{
	buf_add_byte(out, '\t');
	term_add_text(out, text); /* a tab or line end in a name is escaped by it */
}

static void add_seconds(struct buf *out, int64_t us)
{
	buf_printf(out, "\t%.6f", (double)us / 1e6);
}

static void show_plain_add_count(struct buf *out, uint64_t n)
{
	buf_printf(out, "\t%" PRIu64, n);
}

/* The lines "run", "file" and "count". A trace without a node has no start. */
static void show_plain_add_run(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;
	char text[36];

	buf_printf(out, "run\t%s", profile_verdicts[p->verdict]);
	show_plain_add_text(out, p->error);
	stamp_format_us(text, p->from_us, 6);
	show_plain_add_text(out, p->nodes || p->has_summary ? str_from(text) : STR(""));
	buf_printf(out, "\t%.6f", p->total);
	show_plain_add_text(out, p->framework);
	show_plain_add_text(out, s->path);
	buf_add_byte(out, '\n');
	buf_printf(out, "file\t%" PRIu64 "\t%" PRIu64 "\t%d\n", p->lines, p->damaged, p->torn);
	for (size_t i = 0; i < AT_KINDS; i++)
		buf_printf(out, "count\t%s\t%" PRIu64 "\n", agent_trace_kinds[i].p, p->counts[i]);
	for (size_t i = 0; i < SIGHT_LAYERS; i++)
		if (p->known_by[i])
			buf_printf(out, "known_by\t%s\t%" PRIu64 "\n", agent_trace_layers[i].p, p->known_by[i]);
}

/* What nobody measured is an empty field. */
static void add_maybe(struct buf *out, int64_t us, bool known)
{
	if (known)
		add_seconds(out, us);
	else
		show_plain_add_text(out, STR(""));
}

/* Lines "time": overlapping calls counted once, then each by itself. */
static void show_plain_add_times(struct buf *out, const struct profile *p)
{
	static const char *const names[UNIONS] = { "all", "model", "first_token", "tool", "user" };

	for (size_t i = 0; i < UNIONS; i++) {
		buf_printf(out, "time\t%s", names[i]);
		add_seconds(out, p->busy_us[i]);
		add_seconds(out, p->sum_us[i]);
		buf_add_byte(out, '\n');
	}
	buf_printf(out, "time\tboth\t%.6f\ntime\tidle\t%.6f\ntime\tstall", (double)p->both_us / 1e6,
		   (double)p->idle_us / 1e6);
	add_maybe(out, p->stall_us, p->stalls || !p->counts[AT_TOOL_CALL]);
	buf_add_byte(out, '\n');
}

/* Lines "tokens" and "cost"; what the trace does not know has no line. */
static void show_plain_add_tokens(struct buf *out, const struct profile *p)
{
	static const char *const sources[] = { "api", "estimated" };

	for (size_t i = 0; i < 2; i++)
		buf_printf(out, "tokens\t%s\t%" PRIu64 "\t%" PRIu64 "\n", sources[i], p->input[i], p->output[i]);
	if (p->has_cache)
		buf_printf(out, "tokens\tcache\t%" PRIu64 "\t%" PRIu64 "\n", p->cache_read, p->cache_write);
	if (p->has_reasoning)
		buf_printf(out, "tokens\treasoning\t\t%" PRIu64 "\n", p->reasoning);
	if (amount_is_known(p->usd))
		buf_printf(out, "cost\t%.9f\t%" PRIu64 "\n", p->usd.n, p->priced);
}

/* Models and tools share the first columns; the last two differ. */
static void add_groups(struct buf *out, const char *word, const struct profile_groups *groups, bool is_model)
{
	for (size_t i = 0; i < groups->count; i++) {
		struct profile_group *g = groups->list[i];

		buf_add_str(out, str_from(word));
		show_plain_add_text(out, g->name);
		show_plain_add_count(out, g->calls);
		show_plain_add_count(out, is_model ? g->failed : g->partial);
		add_maybe(out, g->sum_us, g->timed);
		add_maybe(out, g->longest_us, g->timed);
		if (is_model) {
			show_plain_add_count(out, g->input);
			show_plain_add_count(out, g->output);
		} else {
			add_maybe(out, g->stall_us, g->stalls);
			show_plain_add_count(out, g->external);
		}
		buf_add_byte(out, '\n');
	}
}

/* Lines "model_cost" of models that used tokens: the cost, empty without any price, and the calls that have none. */
static void show_plain_add_costs(struct buf *out, const struct profile_groups *models)
{
	for (size_t i = 0; i < models->count; i++) {
		const struct profile_group *g = models->list[i];

		if (!amount_is_known(g->usd) && g->unpriced == 0)
			continue;
		buf_add_str(out, STR("model_cost"));
		show_plain_add_text(out, g->name);
		if (amount_is_known(g->usd))
			buf_printf(out, "\t%.9f", g->usd.n);
		else
			show_plain_add_text(out, STR(""));
		show_plain_add_count(out, g->unpriced);
		buf_add_byte(out, '\n');
	}
}

/* A line "errors" with all of them, the results and the first error, and "tool_errors" for each tool that had some. */
static void show_plain_add_errors(struct buf *out, const struct signals *g)
{
	if (!g || !g->has_transcript)
		return;
	buf_printf(out, "errors\t%" PRIu64 "\t%" PRIu64, g->tool_errors, g->tool_results);
	show_plain_add_text(out, g->first_error);
	buf_add_byte(out, '\n');
	for (size_t i = 0; i < g->tool_count; i++) {
		if (g->tools[i].errors == 0)
			continue;
		buf_add_str(out, STR("tool_errors"));
		show_plain_add_text(out, g->tools[i].name);
		show_plain_add_count(out, g->tools[i].errors);
		buf_add_byte(out, '\n');
	}
}

/* One line each; the last field is empty for a node that ended well. */
static void add_nodes(struct buf *out, const struct profile *p)
{
	for (size_t i = 0; i < p->row_count; i++) {
		const struct profile_row *r = &p->rows[i];

		buf_printf(out, "node\t%s", agent_trace_kinds[r->kind].p);
		show_plain_add_text(out, r->label);
		add_seconds(out, r->from_us - p->from_us);
		add_seconds(out, r->to_us - r->from_us);
		buf_printf(out, "\t%u\t%s\n", r->level,
			   r->failed       ? "failed"
			   : r->partial    ? "partial"
			   : r->total_only ? "total_only"
					   : "");
	}
	if (p->nodes > p->row_count)
		buf_printf(out, "left_out\t%" PRIu64 "\n", p->nodes - p->row_count);
}

void show_add_plain(struct buf *out, const struct show *s)
{
	const struct profile *p = s->profile;

	show_plain_add_run(out, s);
	show_plain_add_times(out, p);
	show_plain_add_tokens(out, p);
	add_groups(out, "model", &p->models, true);
	show_plain_add_costs(out, &p->models);
	add_groups(out, "tool", &p->tools, false);
	show_plain_add_errors(out, s->signals);
	for (size_t i = 0; i < p->wait_count; i++) {
		buf_add_str(out, STR("wait"));
		show_plain_add_text(out, p->waits[i].tool->name);
		add_seconds(out, p->waits[i].from_us - p->from_us);
		add_seconds(out, p->waits[i].stall_us);
		buf_add_byte(out, '\n');
	}
	for (size_t i = 0; i < p->gap_count; i++) {
		buf_add_str(out, STR("gap"));
		add_seconds(out, p->gaps[i].from_us - p->from_us);
		add_seconds(out, p->gaps[i].to_us - p->gaps[i].from_us);
		buf_add_byte(out, '\n');
	}
	add_nodes(out, p);
}
