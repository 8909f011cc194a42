/* The table of the rules RN001 and following, with what `explain` tells of each. */
#include "capture/run_files_rules.h"

#define PAGE "doc/formats/run.md, Rules"

const struct rule run_files_rules[RUN_FILES_RULES + 1] = {
	[RUN_FILES_META] = { "RN001", SEV_ERROR, "meta.json is damaged",
			     "copy the whole directory again from where the run was recorded", PAGE, RULE_FILE,
			     .why = "without it nobody can tell whether the other files are those of the run",
			     .example = "a meta.json whose files are not a list" },
	[RUN_FILES_MISSING] = { "RN002", SEV_ERROR, "a file that meta.json names is missing",
				"copy the whole directory", PAGE, RULE_FILE,
				.why = "what it held of the run is lost, and nothing else says so",
				.example = "cassette.jsonl in the list of meta.json and not in the directory" },
	[RUN_FILES_CHANGED] = { "RN003", SEV_ERROR, "a file is not as it was when the run ended",
				"take the file from where the run was recorded; changed copies belong in another "
				"directory",
				PAGE, RULE_FILE,
				.why = "its digest in meta.json was made when the run ended, and it has another "
				       "one now",
				.example = "a total in summary.json that was changed by hand" },
	[RUN_FILES_LINK] = { "RN004", SEV_ERROR, "meta.json names something that is not a plain file of the directory",
			     "put the file itself there", PAGE, RULE_FILE,
			     .why = "a link, or a path, may lead to a file that is nobody's evidence",
			     .example = "\"name\":\"../other/agent-trace.jsonl\"" },
	[RUN_FILES_OTHER_RUN] = { "RN005", SEV_ERROR, "the files are of different runs",
				  "keep each run in its own directory", PAGE, RULE_FILE,
				  .why = "the trace of one run says nothing about another",
				  .example = "a run_id in meta.json that is not the trace_id" },
	[RUN_FILES_SUMMARY] = { "RN006", SEV_ERROR, "summary.json is not the summary of agent-trace.jsonl",
				"take both from where the run was recorded: summary.json repeats the trace's last "
				"line",
				PAGE, RULE_FILE, .why = "people read the summary, and believe it",
				.example =
					"\"exit_status\":\"success\" in summary.json and \"error\" in the trace" },
	[RUN_FILES_EXIT] = { "RN007", SEV_WARNING, "the trace's exit status is not the program's",
			     "look at exit in meta.json: the program's own exit decides", PAGE, RULE_FILE,
			     .why = "a failure may be shown as a success",
			     .example = "\"code\":3 in meta.json and \"exit_status\":\"success\" in the trace" },
	[RUN_FILES_OPEN] = { "RN008", SEV_INFO, "the run has no end: it goes on, or the recorder was killed",
			     "nothing, if that is so; there are no digests to compare", PAGE, RULE_FILE,
			     .why = "meta.json gets the digests of the files when the run ends",
			     .example = "a meta.json without \"ended\"" },
	[RUN_FILES_DECLARED] = { "RN009", SEV_ERROR, "what meta.json declares for the run cannot be read",
				 "take meta.json from where the run was recorded", PAGE, RULE_FILE,
				 .why = "an audit of the run would be held against something that nobody declared",
				 .example = "\"budget\":{\"max_call\":3} in meta.json" },
	[RUN_FILES_LINEAGE] = { "RN010", SEV_ERROR, "forked_from does not name a run and a place in it",
				"take meta.json from where the run was recorded", PAGE, RULE_FILE,
				.why = "nobody could tell which run this one goes on from",
				.example = "\"forked_from\":{\"run_hash\":\"abc\",\"seq\":3} in meta.json" },
	[RUN_FILES_UNNAMED] = { "RN011", SEV_WARNING, "there is a cassette that meta.json does not name",
				"take the directory from where the run was recorded, or the cassette out of it",
				PAGE, RULE_FILE,
				.why = "nothing says that it is what was recorded",
				.example = "a cassette.jsonl that was put beside a run whose content was not kept" },
	[RUN_FILES_RULES] = { .code = NULL },
};
