/* `trackway help`: pages of commands and topics, and the nearest name for one that is unknown. */
#include <stdio.h>

#include "cmd/frame/cmdline.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/help.h"
#include "cmd/frame/nearest.h"
#include "cmd/report/rules.h"
#include "cmd/screen/pager.h"

static bool is_code(struct str word)
{
	struct rules_group g;
	size_t at = 0;

	while (rules_next_group(&at, &g))
		for (const struct rule *r = g.rules; r->code; r++)
			if (rules_is_code(r, word))
				return true;
	return false;
}

/* Always false. Whoever asks for the code of a finding is sent to explain. */
static bool unknown_page(struct str word, struct err *err)
{
	const struct command *member;
	struct nearest near;
	char text[200];
	const char *help;

	if (is_code(rules_cut_code(word))) {
		snprintf(text, sizeof(text), "'trackway explain %.*s' explains it", STR_ARG(rules_cut_code(word)));
		return usage_set(err, text, "'%.*s' is the code of a finding", STR_ARG(word));
	}
	nearest_init(&near, word);
	for (size_t i = 0; commands[i]; i++)
		if (command_is_listed(commands[i]))
			nearest_offer(&near, str_from(commands[i]->name));
	for (size_t i = 0; topics[i].name; i++)
		nearest_offer(&near, str_from(topics[i].name));
	help = nearest_help(&near, text, sizeof(text), "");
	member = command_find_meant(commands, word, !help);
	if (member) {
		snprintf(text, sizeof(text), "did you mean 'trackway help %s'?", member->name);
		help = text;
	}
	return usage_set(err, help ? help : "'trackway help' lists the commands and topics",
			 "there is no command or topic '%.*s'", STR_ARG(word));
}

/* "ledger inti": the group is known, its command is not. */
static bool unknown_member(const struct str *words, struct err *err)
{
	struct nearest near;
	char text[200], prefix[50];
	const char *help;

	nearest_init(&near, words[1]);
	for (size_t i = 0; commands[i]; i++) {
		struct str second, first = str_cut(str_from(commands[i]->name), ' ', &second);

		if (!commands[i]->hidden && second.n && str_eq(first, words[0]))
			nearest_offer(&near, second);
	}
	snprintf(prefix, sizeof(prefix), "%.*s ", STR_ARG(words[0]));
	help = nearest_help(&near, text, sizeof(text), prefix);
	if (!help) {
		snprintf(text, sizeof(text), "'trackway help %.*s' lists them", STR_ARG(words[0]));
		help = text;
	}
	return usage_set(err, help, "there is no command '%.*s %.*s'", STR_ARG(words[0]), STR_ARG(words[1]));
}

/* The command: a topic, a command, both when they share a name, or the overview. */
static int help_run(struct arena *a, const void *options, struct args args, struct err *err)
{
	const struct topic *topic = args.count ? topic_find(args.items[0]) : NULL;
	size_t used = 0;
	bool is_group;
	const struct command *c = command_find(commands, args.items, args.count, &used, &is_group);
	struct buf page;

	(void)options;
	if (!c && !topic && args.count == 1)
		c = command_find_hyphened(commands, args.items[0]);
	if (args.count > 1 && is_group && !c) {
		unknown_member(args.items, err);
		return EXIT_FAIL;
	}
	if (args.count && !topic && (!c || used < args.count)) {
		unknown_page(args.items[c ? used : 0], err);
		return EXIT_FAIL;
	}
	buf_init(&page);
	if (topic)
		help_add_topic(&page, &args.frame->out, topic);
	if (topic && c)
		buf_add_byte(&page, '\n');
	if (c)
		help_add_command(&page, &args.frame->out, commands, c, true);
	if (!topic && !c)
		help_add_overview(&page, &args.frame->out, commands);
	pager_show(a, args.frame, buf_str(&page));
	buf_free(&page);
	return EXIT_YES;
}

static const struct example help_examples[] = {
	{ "trackway help canon", "everything about one command" },
	{ "trackway help ledger verify", "of two words; 'help ledger-verify' is the same" },
	{ "trackway help formats", "what can be read and written" },
	{ NULL, NULL },
};

const struct command help_command = {
	.name = "help",
	.summary = "show the commands, one command or a topic",
	.usage = "[COMMAND|TOPIC]",
	.description =
		"Without an argument lists all commands and topics. The page of a command is the same as that of "
		"'trackway COMMAND --help'; 'trackway COMMAND -h' is shorter.",
	.examples = help_examples,
	.args = ARGS_TOPICS,
	.args_max = 2,
	.run = help_run,
};
