mkdir pages
trackway --generate man pages
for command in '' -canon -hash -help -version -completion; do
	[ -s "pages/trackway$command.1" ] || echo "there is no trackway$command.1"
done
grep -h '^\.TH' pages/trackway.1 pages/trackway-version.1
