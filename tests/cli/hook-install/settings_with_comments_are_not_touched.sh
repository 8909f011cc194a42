# What cannot be kept is not changed.
mkdir .claude
printf '{\n  // mine\n  "model": "m"\n}\n' >.claude/settings.json
trackway hook install claude-code --project
echo $?
cat .claude/settings.json
