# doc/validate.svg without its tags is the command and its output, but for the time it took.
cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" .
time='s/ ([0-9.]* m\{0,1\}s)$/ (TIME)/'
tags='/<text/!d; s/<[^>]*>//g; s/&quot;/"/g; s/&#x27;/'"'"'/g; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g'
{
	echo '$ trackway validate damaged.agent-trace.jsonl'
	trackway validate damaged.agent-trace.jsonl
} | sed "$time" >printed
sed "$tags; $time" "$DATA/../../doc/validate.svg" >drawn
[ "$(wc -l <drawn)" -gt 20 ] || echo 'the picture is nearly empty'
diff -u drawn printed
