/* Both forms are those of `validate`: the escapes, the limits and the table are written there. */
#include "cmd/replay/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/inputs.h"
#include "cmd/replay_output.h"
#include "cmd/report/report_github.h"

enum replay_form replay_form_choose(int report, struct opt_maybe json)
{
	if (json.given)
		return REPLAY_JSON;
	if (report != REPLAY_FORM_UNSET)
		return (enum replay_form)report;
	return str_eq(str_from(getenv("GITHUB_ACTIONS")), STR("true")) ? REPLAY_GITHUB : REPLAY_TEXT;
}

const char *replay_report_type(struct str class)
{
	for (int c = 0; c < DIVERGENCE_CLASSES; c++)
		if (str_eq(class, str_from(divergence_class_name((enum divergence_class)c))))
			return divergence_class_name((enum divergence_class)c);
	return "divergence";
}

void replay_report_junit(const struct replay_case *cases, size_t count)
{
	struct report_junit j;
	struct buf text;

	buf_init(&text);
	report_junit_init(&j);
	j.command = "replay";
	for (size_t i = 0; i < count; i++) {
		const struct replay_case *c = &cases[i];
		struct report_junit_case one = { .name = c->name, .type = c->type, .message = c->message,
						 .seconds = c->seconds };

		one.how = c->how;
		report_junit_add_case(&j, &one);
	}
	report_junit_end(&j, &text);
	fwrite(text.p, 1, text.n, stdout);
	report_junit_free(&j);
	buf_free(&text);
}

static void add_annotation_of(struct report_github *g, const struct report *r, struct arena *a,
			      const struct replay_case *c)
{
	struct findings list;
	struct finding f = { .code = c->type, .severity = c->how == JUNIT_SKIPPED ? SEV_WARNING : SEV_ERROR,
			     .message = c->message };

	if (c->how == JUNIT_PASSED)
		return;
	findings_init(&list, a, 1);
	findings_add(&list, &f);
	report_github_add_list(g, r, c->path, &list);
}

void replay_report_github(struct arena *a, const struct frame *f, const struct replay_case *cases, size_t count,
			  struct str sentence, struct str more)
{
	struct str page = str_from(getenv("GITHUB_STEP_SUMMARY"));
	struct err err = { .kind = ERR_NONE };
	struct report_github g;
	struct report r;
	struct buf text;

	buf_init(&text);
	report_init(&r, &f->out, true);
	report_github_init(&g);
	g.command = "replay";
	g.root = report_find_root(a);
	for (size_t i = 0; i < count; i++)
		add_annotation_of(&g, &r, a, &cases[i]);
	report_github_end(&g, &text);
	fwrite(text.p, 1, text.n, stdout);
	if (page.n && !report_github_append_summary(&g, page, sentence, more, &err))
		inputs_print_failure(f, &err); /* the annotations stand; the table is an extra */
	report_github_free(&g);
	buf_free(&text);
}

struct replay_case replay_report_case(struct str run, const struct replaying_outcome *out)
{
	struct replay_case c = { .name = run, .path = run, .how = JUNIT_PASSED, .type = "divergence", .seconds = NAN };

	if (out->verdict == VERDICT_NOT_REPLAYABLE) {
		c.how = JUNIT_ERROR;
		c.type = "not_replayable";
		c.message = str_from(replay_output_why(out));
	} else if (out->verdict > VERDICT_EQUIVALENT) {
		c.how = JUNIT_FAILED;
		c.type = out->first ? divergence_class_name(out->first->class) : "divergence";
		c.message = out->first ? out->first->sentence : str_from(verdict_name(out->verdict));
	}
	return c;
}

void replay_report_single(struct arena *a, const struct frame *f, enum replay_form form, struct opt_maybe json,
			  struct str run, const struct replaying_outcome *out)
{
	struct replay_case c = replay_report_case(run, out);

	if (form == REPLAY_JSON) {
		replay_output_json(json, out);
	} else if (form == REPLAY_JUNIT) {
		replay_report_junit(&c, 1);
	} else {
		replay_output_text(a, f, out);
		if (form == REPLAY_GITHUB)
			replay_report_github(a, f, &c, 1, arena_printf(a, "%s: %s", run.p, verdict_name(out->verdict)),
					     STR(""));
	}
}
