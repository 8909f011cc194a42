# What install did is undone, byte for byte.
mkdir .claude
printf '{\r\n\t"model": "m",\r\n\t"hooks": { "Stop": [ { "hooks": [] } ] }\r\n}' >.claude/settings.json
cp .claude/settings.json before
trackway hook install claude-code --project
trackway hook remove claude-code --project --dry-run
trackway hook remove claude-code --project
cmp before .claude/settings.json && echo same
trackway hook remove claude-code --project
