#include "cmd/report/validate_ledger.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/stop.h"
#include "cmd/report/rules.h"
#include "ledger/check/check.h"
#include "ledger/dir/log_dir.h"

static bool has(struct str dir, const char *name)
{
	char path[4096];
	struct stat st;

	return snprintf(path, sizeof(path), "%.*s/%s", STR_ARG(dir), name) < (int)sizeof(path) && stat(path, &st) == 0;
}

/* Other programs keep a file 'checkpoint' in a directory, too; one without tiles and state is none of ours. */
bool validate_is_ledger(struct str path)
{
	return has(path, ".") && log_dir_is_one(&io_system, path) && (has(path, "tile") || has(path, ".state/version"));
}

static void add_report(struct validate_input *part, const struct log_report *report)
{
	for (int p = 0; p < LEDGER_PARTS; p++) {
		part->tally.records += report[p].size;
		part->bytes += report[p].bytes;
	}
}

bool validate_ledger(struct validate_output *o, struct str path, size_t limit, struct err *err)
{
	struct validate_input part = { .name = path, .dialect = &rules_ledger };
	struct log_report report[LEDGER_PARTS];
	struct err why = { .kind = ERR_NONE };
	struct findings findings;
	struct arena a;
	struct ledger_check c = { .where = path, .arena = &a, .objects = true, .local = true, .findings = &findings };

	arena_init(&a);
	findings_init(&findings, &a, limit);
	part.findings = &findings;
	if (!ledger_check_run(&c, report, &why)) {
		if (stop_signal()) {
			arena_free(&a);
			*err = why;
			return false;
		}
		part.failure = &why;
	}
	add_report(&part, report);
	validate_output_add(o, &part);
	arena_free(&a);
	return true;
}
