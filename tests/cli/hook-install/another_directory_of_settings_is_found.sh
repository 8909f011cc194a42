# CLAUDE_CONFIG_DIR names where Claude Code keeps them.
CLAUDE_CONFIG_DIR=$PWD/other trackway hook install claude-code | sed "s#$PWD#~#"
grep -c 'hook claude-code' other/settings.json
[ ! -e .claude ]
