. "$DATA/../cli/report/common"
start_with_models
trackway report leaderboard --html page.html -q >first
trackway report leaderboard --html again.html -q >second
cmp page.html again.html && cmp first second
grep -c 'http:\|https:\|<script\|url(' page.html
grep -o '<title>[^<]*</title>' page.html | sed 's/ .*mean/ mean/' | head -4
