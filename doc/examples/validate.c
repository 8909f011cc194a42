/*
 * Checks one file and says what it thinks of it.
 *
 *	cc -o validate validate.c $(pkg-config --static --cflags --libs trackway)
 *	./validate [--strict|--permissive] [--as FORMAT] [--json] FILE
 *
 * Exit status: 0 valid, 1 invalid, 2 wrong usage, 3 could not be read.
 */
#include <stdio.h>
#include <string.h>

#include <trackway.h>

static const char *severity_name(enum tw_severity s)
{
	return s == TW_ERROR ? "error" : s == TW_WARNING ? "warning" : "info";
}

/* agent-trace.jsonl:6:12: error[AT041]: sentence */
static void print_finding(const char *name, const struct tw_finding *f)
{
	const struct tw_rule *rule = tw_rule_find(f->code);

	printf("%s", name);
	if (f->line)
		printf(":%llu", (unsigned long long)f->line);
	if (f->column)
		printf(":%llu", (unsigned long long)f->column);
	printf(": %s[%s]: %s\n", severity_name(f->severity), f->code, f->message);
	if (rule && tw_rule_help(rule))
		printf("  help: %s\n", tw_rule_help(rule));
}

static void print_report(const struct tw_report *r)
{
	for (size_t i = 0; i < tw_report_finding_count(r); i++)
		print_finding(tw_report_name(r), tw_report_finding(r, i));
	if (tw_report_error(r))
		fprintf(stderr, "error: %s\n", tw_report_error(r));
	else
		printf("%s: %s %s, %llu records, %llu errors, %llu warnings\n", tw_report_name(r),
		       tw_report_verdict_name(r), tw_report_format(r) ? tw_report_format(r) : "file",
		       (unsigned long long)tw_report_records(r), (unsigned long long)tw_report_errors(r),
		       (unsigned long long)tw_report_warnings(r));
}

static void print_json(const struct tw_report *r)
{
	char *text = tw_report_json(r);

	puts(text);
	tw_text_free(text);
}

int main(int argc, char **argv)
{
	static const int status[] = { [TW_VALID] = 0, [TW_INVALID] = 1, [TW_UNREADABLE] = 3 };
	struct tw_validate_options options = { .size = sizeof(options) };
	const char *path = NULL;
	struct tw_report *report;
	enum tw_verdict verdict;
	int json = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--strict") == 0)
			options.mode = TW_STRICT;
		else if (strcmp(argv[i], "--permissive") == 0)
			options.mode = TW_PERMISSIVE;
		else if (strcmp(argv[i], "--as") == 0 && i + 1 < argc)
			options.format = argv[++i];
		else if (strcmp(argv[i], "--json") == 0)
			json = 1;
		else
			path = argv[i];
	}
	if (!path) {
		fprintf(stderr, "usage: validate [--strict|--permissive] [--as FORMAT] [--json] FILE\n");
		return 2;
	}
	report = tw_validate_file(path, &options);
	if (json)
		print_json(report);
	else
		print_report(report);
	verdict = tw_report_verdict(report);
	tw_report_free(report);
	return status[verdict];
}
