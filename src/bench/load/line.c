/*
 * Writes the line with printf rather than a JSON writer: times need six digits behind the point, and lines are written
 * while requests are due.
 */
#include "bench/load/line.h"

#include <inttypes.h>

#include "json/write.h"

static void load_line_add_time(struct buf *out, const char *name, uint64_t ns, uint64_t start_ns)
{
	if (ns == 0) {
		buf_printf(out, ",\"%s\":null", name);
	} else {
		bool before = ns < start_ns; /* a clock that was read a moment early */
		uint64_t since = before ? start_ns - ns : ns - start_ns;

		buf_printf(out, ",\"%s\":%s%" PRIu64 ".%06" PRIu64, name, before ? "-" : "", since / 1000000,
			   since % 1000000);
	}
}

static void add_text(struct buf *out, const char *name, struct str text)
{
	buf_printf(out, ",\"%s\":", name);
	if (text.p)
		json_write_quoted(out, text);
	else
		buf_add_str(out, STR("null"));
}

void load_line_add(struct buf *out, const struct load_outcome *o, uint64_t start_ns, struct str request_id)
{
	struct str failure = o->failure ? str_from(o->failure) : (struct str){ NULL, 0 };
	double gap;

	buf_printf(out, "{\"number\":%" PRIu64 ",\"stage\":%zu,\"status\":\"%s\"", o->number, o->stage + 1,
		   load_end_name(o->end));
	add_text(out, "failure", failure);
	if (o->http_status)
		buf_printf(out, ",\"http_status\":%d", o->http_status);
	else
		buf_add_str(out, STR(",\"http_status\":null"));
	load_line_add_time(out, "due_ms", o->due_ns, start_ns);
	load_line_add_time(out, "sent_ms", o->sent_ns, start_ns);
	load_line_add_time(out, "first_byte_ms", o->byte_ns, start_ns);
	load_line_add_time(out, "first_token_ms", o->streamed ? o->token_ns : 0, start_ns);
	load_line_add_time(out, "last_token_ms", o->arrival_count ? o->arrivals[o->arrival_count - 1] : 0, start_ns);
	load_line_add_time(out, "end_ms", o->ended_ns, start_ns);
	if (o->end == LOAD_OK)
		buf_printf(out, ",\"input_tokens\":%" PRIu64 ",\"output_tokens\":%" PRIu64, o->input_tokens,
			   o->output_tokens);
	else
		buf_add_str(out, STR(",\"input_tokens\":null,\"output_tokens\":null"));
	add_text(out, "output_tokens_source", o->end != LOAD_OK ? (struct str){ NULL, 0 } :
						o->output_known ? STR("api") : STR("estimated"));
	buf_printf(out, ",\"events\":%" PRIu64 ",\"late_ms\":%" PRIu64 ".%06" PRIu64, o->events, o->late_ns / 1000000,
		   o->late_ns % 1000000);
	if (load_outcome_get(o, LOAD_ITL, &gap))
		buf_printf(out, ",\"longest_gap_ms\":%.6f", gap);
	else
		buf_add_str(out, STR(",\"longest_gap_ms\":null"));
	add_text(out, "request_id", request_id);
	buf_add_str(out, STR("}\n"));
}
