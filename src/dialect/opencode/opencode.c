/*
 * Sessions of opencode, in two forms: what `opencode export` prints, a document with the session and its messages; and
 * a log of its events, as its server and its plugins give them, a line each. The second is in events.c.
 */
#include "dialect/opencode/opencode.h"

#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

/* Model calls are told by the messages. What they add up to is told again in the session, and dropped there. */
static void opencode_read_session(struct reading *r, struct val info)
{
	struct val model = val_get(info, STR("model"));
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->run = text_or_none(reading_text(r, info, STR("id")));
	e->parent_run = text_or_none(reading_text(r, info, STR("parentID")));
	e->agent = STR("opencode");
	e->agent_version = reading_text(r, info, STR("version"));
	e->ts = told_time(r, val_get(info, STR("time")), STR("created"));
	e->model = reading_text(r, model, STR("id"));
	reading_drop(r, val_get(info, STR("tokens")));
	reading_drop(r, val_get(info, STR("cost")));
	reading_rest_under(r, e, info, STR("info"));
}

static void opencode_read_message(struct reading *r, struct val message)
{
	struct val info = val_get(message, STR("info")), parts = val_get(message, STR("parts"));
	struct opencode_place x = { .r = r };
	size_t at = r->count;

	x.step = x.message = text_or_none(val_get_text(info, STR("id"), r->arena));
	if (!val_text_is(val_get(info, STR("role")), STR("assistant"))) {
		opencode_read_given(&x, info, parts);
	} else {
		VALUES_EACH(part, parts)
			x.told |= val_text_is(val_get(part, STR("type")), STR("step-finish"));
		opencode_read_info(&x, info);
		VALUES_EACH(part, parts)
			opencode_read_part(&x, part);
	}
	reading_rest(r, &r->events[at], message);
}

static bool opencode_is_export(struct val v)
{
	return val_is(val_get(v, STR("messages")), JSON_ARRAY) && val_is(val_get(v, STR("info")), JSON_OBJECT);
}

static void opencode_read_value(struct reading *r, struct val v)
{
	size_t at = r->count;

	if (!opencode_is_export(v)) {
		opencode_read_event(r, v);
		return;
	}
	opencode_read_session(r, val_get(v, STR("info")));
	VALUES_EACH(message, val_get(v, STR("messages"))) {
		if (val_is(message, JSON_OBJECT))
			opencode_read_message(r, message);
	}
	reading_rest(r, &r->events[at], v);
}

/* Ids of sessions begin alike in all versions; other members of the session came and went. */
static int opencode_fits(struct val v)
{
	static const struct str names[] = { WORD("slug"), WORD("projectID"), WORD("directory"), WORD("version") };
	struct val info = val_get(v, STR("info")), id = val_get(info, STR("id")), first;

	if (!opencode_is_export(v))
		return opencode_event_fits(v);
	first = values_first(val_get(v, STR("messages")));
	if (val_is(id, JSON_STRING) && str_starts(val_raw(id), STR("ses_")))
		return 98;
	if (values_count_names(info, names, COUNT(names)) >= 2)
		return 90;
	return val_has(first, STR("info")) && val_has(first, STR("parts")) ? 80 : 0;
}

static const struct read_ops opencode_read = {
	.vendor = "opencode",
	.key = "opencode/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = opencode_read_value,
	.fold_open = opencode_fold_open,
	.fold_close = opencode_fold_close,
	.fold = opencode_fold,
	.fold_end = opencode_fold_end,
};

const struct dialect opencode_dialect = {
	.name = "opencode",
	.title = "opencode sessions: exports and event logs",
	.file = "session.json",
	.unit = "message",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = opencode_fits,
	.read = &opencode_read,
};
