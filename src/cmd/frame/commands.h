/* The commands there are; each lives in its own file cmd_<name>.c. */
#ifndef CMD_FRAME_COMMANDS_H
#define CMD_FRAME_COMMANDS_H

#include "cmd/frame/command.h"

extern const struct command record_command;
extern const struct command replay_command;
extern const struct command mcp_command;
extern const struct command hook_command; /* the group: its rows follow it */
extern const struct command hook_claude_command;
extern const struct command hook_cursor_command;
extern const struct command hook_install_command;
extern const struct command hook_remove_command;
extern const struct command show_command;
extern const struct command runs_command;
extern const struct command convert_command;
extern const struct command export_command;
extern const struct command redact_command;
extern const struct command watch_command;
extern const struct command validate_command;
extern const struct command explain_command;
extern const struct command audit_command;
extern const struct command formats_command;
extern const struct command canon_command;
extern const struct command hash_command;
extern const struct command ledger_command; /* the group: its rows follow it */
extern const struct command ledger_init_command;
extern const struct command ledger_add_command;
extern const struct command ledger_list_command;
extern const struct command ledger_show_command;
extern const struct command ledger_log_command;
extern const struct command ledger_review_command;
extern const struct command ledger_supersede_command;
extern const struct command ledger_erase_command;
extern const struct command ledger_head_command;
extern const struct command ledger_prove_command;
extern const struct command ledger_verify_command;
extern const struct command ledger_fsck_command;
extern const struct command ledger_publish_command;
extern const struct command ledger_cosign_command;
extern const struct command ledger_witness_command;
extern const struct command ledger_export_command;
extern const struct command import_command; /* the group: its rows follow it */
extern const struct command import_prime_command;
extern const struct command import_verifiers_command;
extern const struct command import_aec_command;
extern const struct command trial_command; /* the group: its rows follow it */
extern const struct command trial_run_command;
extern const struct command trial_lock_command;
extern const struct command trial_diff_command;
extern const struct command trial_regrade_command;
extern const struct command trial_one_command; /* __trial, for trial run */
extern const struct command trial_signals_command;
extern const struct command trial_classify_command;
extern const struct command report_command;
extern const struct command report_leaderboard_command;
extern const struct command report_summary_command;
extern const struct command report_traces_command;
extern const struct command report_behaviour_command;
extern const struct command report_cost_command;
extern const struct command report_compare_command;
extern const struct command report_queue_command;
extern const struct command report_review_command;
extern const struct command telemetry_command; /* the group: its rows follow it */
extern const struct command telemetry_show_command;
extern const struct command telemetry_verify_command;
extern const struct command bench_command; /* the group: its rows follow it */
extern const struct command bench_plan_command;
extern const struct command bench_run_command;
extern const struct command bench_load_command;
extern const struct command bench_summary_command;
extern const struct command bench_show_command;
extern const struct command bench_compare_command;
extern const struct command bench_tiers_command;
extern const struct command bench_rescore_command;
extern const struct command mock_command;
extern const struct command help_command;
extern const struct command version_command;
extern const struct command completion_command;
extern const struct command complete_command; /* __complete, for the completion scripts */
extern const struct command generate_command; /* --generate, for packagers */

/* In the order help lists them; ended by NULL. */
extern const struct command *const commands[];

#endif
