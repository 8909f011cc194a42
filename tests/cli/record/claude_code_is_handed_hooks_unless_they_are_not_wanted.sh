# A program of that name gets our hooks by --settings, for this run; --no-hooks leaves its arguments alone.
. "$DATA/../cli/record/common"
mkdir bin
cat >bin/claude <<'END'
#!/bin/sh
for word; do
	echo "$word"
done | sed -E 's#"[^"]*/trackway hook#"TRACKWAY hook#g' | cut -c 1-120
END
chmod +x bin/claude
record -q -o one -- bin/claude -p hello 2>/dev/null
record -q -o two --no-hooks -- bin/claude -p hello 2>/dev/null
