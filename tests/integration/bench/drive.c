/*
 * Cases in, verdicts out, one JSON object on each line: what the checks of this suite hold against Python.
 *
 *	{"detect":"reference","text":T}                                  {"tools":[...]}
 *	{"validator":V,"text":T,"detector"?:D,"tokens"?:N,"calls"?:[{"name","arguments"}]}
 *	                                            {"pass":null|true|false,"violation":null|S,"parsed":null|{...}}
 *	{"schema":S,"value":V}                                           {"valid":true|false|"limit"} or {"refused":"..."}
 *	{"report":DIRECTORY}                                             {"page":HTML} or {"refused":"..."}
 *
 * A validator that cannot be used gives {"refused":"CODE: message"}.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/report/html_page.h"
#include "bench/validate/jsonschema.h"
#include "bench/validate/regex.h"
#include "bench/validate/validator.h"
#include "json/write.h"

struct drive {
	struct arena arena; /* of one case */
	struct json_parser *parser;
	struct findings findings;
	struct problems problems;
	struct buf out;
	struct json_writer w;
};

static struct str text_of(struct drive *d, struct val v)
{
	return val_is(v, JSON_STRING) ? val_text(v, &d->arena) : STR("");
}

static enum detector detector_of(struct drive *d, struct val v)
{
	enum detector out = DETECT_REFERENCE;

	detector_parse(text_of(d, v), &out);
	return out;
}

static void refuse(struct drive *d)
{
	const struct finding *f = &d->findings.kept[0];

	json_write_key(&d->w, STR("refused"));
	json_write_string(&d->w, arena_printf(&d->arena, "%s: %.*s", f->code, STR_ARG(f->message)));
}

static void do_detect(struct drive *d, struct val c)
{
	struct tool_use use = detect_tools(&d->arena, (struct detect_how){ detector_of(d, val_get(c, STR("detect"))), NULL, 0 },
					   text_of(d, val_get(c, STR("text"))), NULL, 0);

	json_write_key(&d->w, STR("tools"));
	json_write_begin_array(&d->w);
	for (size_t i = 0; i < use.count; i++)
		json_write_string(&d->w, use.names[i]);
	json_write_end_array(&d->w);
}

static void write_verdict(struct drive *d, const struct verdict *v)
{
	json_write_key(&d->w, STR("pass"));
	if (v->pass == VERDICT_NULL)
		json_write_null(&d->w);
	else
		json_write_bool(&d->w, v->pass == VERDICT_TRUE);
	json_write_key(&d->w, STR("violation"));
	if (v->violation.n)
		json_write_string(&d->w, v->violation);
	else
		json_write_null(&d->w);
	json_write_key(&d->w, STR("parsed"));
	json_write_raw(&d->w, v->parsed.n ? v->parsed : STR("null"));
}

static void do_validate(struct drive *d, struct val c)
{
	struct validator_options options = { .allow_commands = true, .unsandboxed = true };
	struct val calls = val_get(c, STR("calls")), one;
	struct val_iter it = val_begin(calls);
	struct validator_input in = { .output = text_of(d, val_get(c, STR("text"))), .output_tokens = -1 };
	struct validator_call *list = arena_array(&d->arena, struct validator_call, val_count(calls) + 1);
	struct str *names = arena_array(&d->arena, struct str, val_count(calls) + 1);
	const struct validator *v = validator_new(&d->arena, val_get(c, STR("validator")), &options, &d->problems);
	struct verdict verdict;

	if (!v) {
		refuse(d);
		return;
	}
	while (val_next(&it, &one)) {
		list[in.call_count].name = names[in.call_count] = text_of(d, val_get(one, STR("name")));
		list[in.call_count++].arguments = text_of(d, val_get(one, STR("arguments")));
	}
	in.calls = list;
	val_i64(val_get(c, STR("tokens")), &in.output_tokens);
	in.tools = detect_tools(&d->arena, (struct detect_how){ detector_of(d, val_get(c, STR("detector"))), NULL, 0 },
				in.output, names, in.call_count);
	verdict = validator_run(v, &d->arena, &in);
	write_verdict(d, &verdict);
}

static void do_schema(struct drive *d, struct val c)
{
	const struct jsonschema *s = jsonschema_new(&d->arena, val_get(c, STR("schema")), &d->problems);
	uint64_t budget = REGEX_BUDGET;
	struct jsonschema_fault fault;
	enum jsonschema_answer answer;

	if (!s) {
		refuse(d);
		return;
	}
	answer = jsonschema_check(s, val_get(c, STR("value")), &d->arena, &budget, &fault);
	json_write_key(&d->w, STR("valid"));
	if (answer == JSONSCHEMA_LIMIT)
		json_write_string(&d->w, STR("limit"));
	else
		json_write_bool(&d->w, answer == JSONSCHEMA_VALID);
}

/* The page of a run's directory, at a time that is always the same; config.json may be missing. */
static void do_report(struct drive *d, struct val c)
{
	struct str path = text_of(d, val_get(c, STR("report")));
	struct summary summary = { .count = 0 };
	struct config config = { .repeat = 0 };
	struct err err = { .kind = ERR_NONE };
	struct buf page;
	bool has_config;

	has_config = config_read(&config, &d->arena, ARENA_JOIN(&d->arena, path, STR("/config.json")), &err);
	if (!summary_make(&summary, &d->arena, path, RATE_WILSON, &err)) {
		json_write_key(&d->w, STR("refused"));
		json_write_string(&d->w, str_from(err.text));
		return;
	}
	buf_init(&page);
	report_write_html(&page, &summary, has_config ? &config : NULL, 1790000000000000000);
	json_write_key(&d->w, STR("page"));
	json_write_string(&d->w, buf_str(&page));
	buf_free(&page);
}

static void do_case(struct drive *d, struct val c)
{
	arena_reset(&d->arena);
	findings_init(&d->findings, &d->arena, 0);
	d->problems = (struct problems){ .list = &d->findings, .text = str_of(c.tape->text, val_source(c).n), .root = c };
	buf_clear(&d->out);
	json_write_init(&d->w, &d->out, JSON_COMPACT);
	json_write_begin_object(&d->w);
	if (!val_is_none(val_get(c, STR("detect"))))
		do_detect(d, c);
	else if (!val_is_none(val_get(c, STR("validator"))))
		do_validate(d, c);
	else if (!val_is_none(val_get(c, STR("report"))))
		do_report(d, c);
	else
		do_schema(d, c);
	json_write_end_object(&d->w);
	buf_add_byte(&d->out, '\n');
	fwrite(d->out.p, 1, d->out.n, stdout);
}

int main(void)
{
	struct drive d = { .parser = json_parser_open((struct json_options){ .allow_duplicates = true, .allow_lone = true }) };
	struct json_issue issue;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	struct val c;

	arena_init(&d.arena);
	buf_init(&d.out);
	while ((n = getline(&line, &room, stdin)) > 0) {
		if (!json_parse_copy(d.parser, str_of(line, (size_t)n), &c, &issue)) {
			fprintf(stderr, "drive: %s\n", issue.message);
			return 2;
		}
		do_case(&d, c);
	}
	free(line);
	buf_free(&d.out);
	arena_free(&d.arena);
	json_parser_close(d.parser);
	return fflush(stdout) ? 3 : 0;
}
