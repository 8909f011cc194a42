#include "flow/redact.h"

#include "base/stop.h"

/* The place and the kind of fault; never what stands there. */
static bool redact_refuse(const struct chunk *c, const struct json_issue *issue, uint64_t line, struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s:%llu:%llu: this is not JSON (%s), so nothing of the file was written"
		       ERR_HELP "leave out or mend what cannot be read; a trace without content can be made "
		       "of a damaged log",
		       STR_ARG(c->input->name), (unsigned long long)line, (unsigned long long)issue->column,
		       json_code_name(issue->code));
}

static bool redact_add_line(struct redact_flow *f, const struct chunk *c, struct str line, uint64_t number,
			    struct buf *out, struct err *err)
{
	struct json_issue issue = { .code = JSON_OK };

	line = str_trim(line);
	if (line.n == 0)
		return true;
	f->records++;
	if (redact_line(f->with, line, out, &issue))
		return true;
	return redact_refuse(c, &issue, number + (c->input->lines ? 0 : issue.line - 1), err);
}

static bool redact_add_lines(struct redact_flow *f, const struct chunk *c, struct buf *out, struct err *err)
{
	struct str left = c->bytes;
	uint64_t number = c->first_line;

	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		if (!redact_add_line(f, c, line, number++, out, err))
			return false;
	}
	return true;
}

/* Events of a stream depend on each other from its first to its last. */
static bool redact_add_events(struct redact_flow *f, const struct chunk *c, struct buf *stream, struct buf *out,
			      struct err *err)
{
	if (stream->n + c->bytes.n > f->limit)
		return err_set(err, ERR_LIMIT, "%.*s is a stream of more than %zu bytes, which is taken as a whole",
			       STR_ARG(c->input->name), f->limit) || err_advise(err, ADVICE_RECORD_LIMIT);
	buf_add_str(stream, c->bytes);
	if (!c->last)
		return true;
	f->records++;
	return redact_events(f->with, buf_str(stream), out) ||
	       err_set(err, ERR_DATA, "%.*s has no events that can be read" ERR_HELP "name a file of JSON, JSON "
		       "lines or server-sent events", STR_ARG(c->input->name));
}

static bool redact_add_chunk(struct redact_flow *f, const struct chunk *c, struct buf *stream, struct buf *out,
			     struct err *err)
{
	if (c->input->member.p)
		return err_set(err, ERR_DATA, "%.*s is in an archive, whose form cannot be kept" ERR_HELP
			       "unpack it, and redact the files in it", STR_ARG(c->input->name));
	if (c->input->events)
		return redact_add_events(f, c, stream, out, err);
	if (c->input->lines)
		return redact_add_lines(f, c, out, err);
	return redact_add_line(f, c, c->bytes, 1, out, err);
}

bool redact_flow_run(struct redact_flow *f, struct err *err)
{
	struct buf bytes, out, stream;
	struct chunk c;
	enum next next = NEXT_MORE;
	bool good = true;

	buf_init(&bytes);
	buf_init(&out);
	buf_init(&stream);
	while (good && (next = source_next(f->from, &bytes, &c, err)) == NEXT_MORE) {
		buf_clear(&out);
		good = !stop_signal() && redact_add_chunk(f, &c, &stream, &out, err);
		if (good && c.last)
			redact_flush(f->with, &out);
		good = good && f->put(f->context, buf_str(&out), err);
		if (f->tick)
			f->tick(f->context, f->from);
	}
	buf_free(&bytes);
	buf_free(&out);
	buf_free(&stream);
	return good && next == NEXT_END;
}
