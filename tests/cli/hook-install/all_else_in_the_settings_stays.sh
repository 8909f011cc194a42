# The user's settings in HOME: what was there stays, and a second time nothing changes.
mkdir .claude
printf '{\n\t"model": "m",\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t{ "matcher": "Bash", "hooks": [] }\n\t\t]\n\t}\n}\n' >.claude/settings.json
show()
{
	sed -E 's#"[^"]*/trackway hook#"TRACKWAY hook#' .claude/settings.json
}
trackway hook install claude-code --dry-run | sed "s#$HOME#~#"
show | head -n 9
trackway hook install claude-code | sed "s#$HOME#~#"
show
trackway hook install claude-code | sed "s#$HOME#~#"
trackway hook install claude-code --json | sed "s#$HOME#~#"
