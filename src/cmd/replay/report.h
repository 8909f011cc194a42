/*
 * The forms of an answer about replays for machines of continuous integration: annotations of GitHub with a table for
 * the page of the job, or JUnit XML. A single replay is a report with one case.
 */
#ifndef CMD_REPLAY_REPORT_H
#define CMD_REPLAY_REPORT_H

#include "cmd/frame/command.h"
#include "cmd/report/report_junit.h"
#include "replay/replaying.h"

/* In the order of the words of --report. */
enum replay_form { REPLAY_TEXT, REPLAY_JSON, REPLAY_GITHUB, REPLAY_JUNIT };

#define REPLAY_FORM_UNSET -1 /* no --report was given */

/* --json and --report win; only a run inside of GitHub Actions changes the default. */
enum replay_form replay_form_choose(int report, struct opt_maybe json);

/* One replay. Texts may hold anything; `type` is a word that is safe as it is. */
struct replay_case {
	struct str name, path; /* path: what an annotation is about */
	int how;               /* as report_junit_case has it */
	const char *type;
	struct str message;
	double seconds;
};

/* A word for a class of divergence that came as text: itself if we know it, else "divergence". A constant. */
const char *replay_report_type(struct str class);

/* Prints the document on standard output. */
void replay_report_junit(const struct replay_case *cases, size_t count);

/*
 * Prints the annotations on standard output, and adds the sentence, `more` (Markdown), and the table of what failed to
 * the file of GITHUB_STEP_SUMMARY, if there is one. That the file cannot be written is told on standard error.
 */
void replay_report_github(struct arena *a, const struct frame *f, const struct replay_case *cases, size_t count,
			  struct str sentence, struct str more);

/* The one case of a single replay. */
struct replay_case replay_report_case(struct str run, const struct replaying_outcome *out);

/* A single replay in one of these forms, or as replay_output.h has it. */
void replay_report_single(struct arena *a, const struct frame *f, enum replay_form form, struct opt_maybe json,
			  struct str run, const struct replaying_outcome *out);

#endif
