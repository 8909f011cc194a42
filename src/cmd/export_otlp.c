/* Each request that the writer of OTLP hands over is one body that is sent. */
#include "cmd/export_otlp.h"

#include <stdlib.h>

#include "base/clock.h"
#include "cmd/frame/header_file.h"
#include "cmd/frame/nearest.h"
#include "cmd/inputs.h"
#include "cmd/screen/amounts.h"
#include "cmd/screen/term.h"

static const char *otlp_get_variable(const char *name)
{
	return getenv(name);
}

bool export_otlp_is(const struct export_format *format)
{
	return format && str_starts(str_from(format->name), STR("otlp-"));
}

bool export_otlp_is_binary(const struct export_format *format)
{
	return export_otlp_is(format) && str_ends(str_from(format->name), STR("-proto"));
}

/* ---- options ---- */

static const char *otlp_preset_name(size_t i)
{
	return push_presets[i].name;
}

/* Which of both: what --signal says; without it what the preset takes. */
static bool get_signals(struct export_otlp *x, const struct push_preset *preset, struct err *err)
{
	int signal = x->o->signal;

	x->wanted[PUSH_TRACES] = signal != EXPORT_METRICS;
	x->wanted[PUSH_METRICS] = signal != EXPORT_TRACES;
	for (unsigned i = 0; preset && i < PUSH_SIGNALS; i++) {
		if (!x->wanted[i] || preset->takes[i])
			continue;
		if (signal >= 0)
			return usage_set(err, "leave --signal out, or send them to a collector", "%s takes no %s",
					 preset->title, i == PUSH_METRICS ? "metrics" : "traces");
		x->wanted[i] = false;
	}
	return true;
}

static enum push_encoding encoding_of(const struct export_format *format)
{
	return !format ? PUSH_ANY : export_otlp_is_binary(format) ? PUSH_PROTOBUF : PUSH_JSON;
}

static bool get_plans(struct export_otlp *x, const struct export_format *format, const struct push_preset *preset,
		      struct err *err)
{
	struct push_wish wish = { .preset = preset, .endpoint = x->o->endpoint, .encoding = encoding_of(format) };

	if (!get_signals(x, preset, err) ||
	    !header_file_read(x->arena, x->o->header_file, &wish.headers, &wish.header_count, err))
		return false;
	for (unsigned i = 0; i < PUSH_SIGNALS; i++)
		if (x->wanted[i] && !push_plan_read(x->arena, &wish, (enum push_signal)i, otlp_get_variable,
						    &x->plans[i], err))
			return false;
	return true;
}

/* Options that nothing would come of are mistakes of the user. */
static bool check_use(const struct export_otlp *x, const struct export_format *format, struct err *err)
{
	const struct export_otlp_opts *o = x->o;

	if (!o->send && (o->to.p || o->endpoint.p || o->signal >= 0 || o->header_file.p))
		return usage_set(err, "add --otlp", "--to, --endpoint, --signal and --header-file are for sending");
	if (o->send && format && !export_otlp_is(format))
		return usage_set(err, "leave --format out, or give otlp-json or otlp-proto", "%s cannot be sent",
				 format->name);
	if (!o->send && !export_otlp_is(format) &&
	    (o->profile >= 0 || o->shift.p || o->start.p || o->include_estimated || o->server_metrics))
		return usage_set(err, "give --otlp or a format of OTLP", "--profile, --shift-time, --start, "
				 "--include-estimated and --server-metrics are for OTLP");
	return !o->shift.p || str_eq(o->shift, STR("now")) ||
	       usage_set(err, "give now", "--shift-time takes nothing but now");
}

bool export_otlp_check(struct export_otlp *x, const struct export_format *format, struct export_options *options,
		       struct err *err)
{
	static const struct choice choice = {
		.option = "--to", .noun = "preset", .example = "jaeger", .name = otlp_preset_name,
	};
	const struct push_preset *preset = x->o->to.p ? push_preset_find(x->o->to) : NULL;

	if (!check_use(x, format, err))
		return false;
	if (!x->o->send && !export_otlp_is(format))
		return true;
	x->is_wanted = true;
	if (!logs_get_start(x->o->start, &x->start_ns, err))
		return false;
	if (x->o->to.p && !preset)
		return nearest_refuse(&choice, x->o->to, err);
	options->include_estimated = x->o->include_estimated;
	options->server_metrics = x->o->server_metrics;
	if (!push_plan_export(x->arena, preset, otlp_get_variable, options, err))
		return false;
	if (x->o->profile >= 0)
		options->profile = (enum otlp_profile)x->o->profile;
	return !x->o->send || get_plans(x, format, preset, err);
}

void export_otlp_start(const struct export_otlp *x, struct trace_list *runs, struct logs *logs)
{
	struct str told = { NULL, 0 };

	for (size_t i = runs->count; x->is_wanted && i-- > 0;) {
		struct trace *t = &runs->items[i];
		struct err why;

		if (trace_has_times(t))
			continue;
		if (x->start_ns) {
			trace_lay_out(t, x->start_ns);
			continue;
		}
		err_set(&why, ERR_DATA, "%.*s: it has no times, and a span must have a start", STR_ARG(t->source));
		err_advise(&why, ADVICE_START);
		if (!str_eq(told, t->source))
			logs_fail(logs, &why);
		told = t->source;
		trace_list_remove(runs, i);
	}
}

void export_otlp_shift(const struct export_otlp *x, const struct trace_list *runs, struct export_options *options)
{
	int64_t last = 0;

	if (!x->o->shift.p)
		return;
	for (size_t i = 0; i < runs->count; i++)
		last = runs->items[i].to_ns > last ? runs->items[i].to_ns : last;
	options->shift_ns = (int64_t)clock_wall_ns() - last;
}

/* ---- sending ---- */

struct sending {
	struct push *push;
	struct logs *logs;
	const struct push_plan *plan;
	uint64_t requests, bytes, rejected;
};

static void say_retrying(void *own, struct str sentence)
{
	struct sending *s = own;

	inputs_warn(s->logs->frame, "%.*s", STR_ARG(sentence));
}

static bool send_body(void *context, struct str body, struct err *err)
{
	struct sending *s = context;
	struct push_result result;

	if (!push_send(s->push, body, &result, err))
		return false;
	s->requests++;
	s->bytes += body.n;
	s->rejected += result.rejected;
	if (result.rejected || result.message.n)
		inputs_warn(s->logs->frame, "%.*s took %s%.*s", STR_ARG(s->plan->shown),
			    result.rejected ? "only a part: " : "it, and says: ", STR_ARG(result.message));
	return true;
}

/* "sent 3 requests (12.0 KiB) to http://localhost:4318/v1/traces; 4 were rejected" */
static void say_sent(const struct sending *s)
{
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR("sent "));
	amounts_add_things(&text, s->requests, "request");
	buf_add_str(&text, STR(" ("));
	amounts_add_bytes(&text, s->bytes);
	buf_add_str(&text, STR(") to "));
	term_add_text(&text, s->plan->shown);
	if (s->rejected)
		buf_printf(&text, "; %llu %s rejected", (unsigned long long)s->rejected,
			   s->plan->signal == PUSH_TRACES ? "spans were" : "points were");
	buf_add_byte(&text, '\n');
	logs_say(s->logs, &text);
	buf_free(&text);
}

static const char *format_of(const struct push_plan *plan)
{
	static const char *const names[PUSH_SIGNALS][2] = {
		[PUSH_TRACES] = { "otlp-json", "otlp-proto" },
		[PUSH_METRICS] = { "otlp-metrics-json", "otlp-metrics-proto" },
	};

	return names[plan->signal][plan->encoding == PUSH_PROTOBUF];
}

static bool send_signal(const struct export_otlp *x, const struct export_options *options,
			const struct trace_list *runs, struct sending *s, struct err *err)
{
	const struct push_hooks hooks = { .retrying = say_retrying, .own = s, .seed = clock_mono_ns() };
	struct export out = { .options = options, .arena = x->arena, .put = send_body, .context = s };
	bool good;

	if (s->plan->note.n)
		inputs_note(s->logs->frame, "%.*s", STR_ARG(s->plan->note));
	buf_init(&out.out);
	s->push = push_open(s->plan, &hooks);
	good = export_find(str_from(format_of(s->plan)))->write(&out, runs, err) && export_flush(&out, err);
	push_close(s->push);
	buf_free(&out.out);
	if (s->requests || good)
		say_sent(s);
	return good;
}

bool export_otlp_send(const struct export_otlp *x, const struct export_options *options,
		      const struct trace_list *runs, struct logs *logs, uint64_t *rejected, struct err *err)
{
	*rejected = 0;
	for (unsigned i = 0; i < PUSH_SIGNALS; i++) {
		struct sending s = { .logs = logs, .plan = &x->plans[i] };

		if (!x->wanted[i])
			continue;
		if (!send_signal(x, options, runs, &s, err))
			return false;
		*rejected += s.rejected;
	}
	return true;
}
