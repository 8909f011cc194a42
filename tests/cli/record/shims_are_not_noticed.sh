. "$DATA/../cli/record/common"
# where each stands first: the shims in PATH, the shell that SHELL names by the same name
SHELL=/bin/bash record -q --shell -o run -- sh -c 'echo "${PATH%%:*}" | sed "s|.*/shell-........|SHIMS|"
	echo "${SHELL##*/}"; "$SHELL" -c "exit 5"; echo $?
	yes | head -n 2
	python3 -c "import sys; print(\"trackway\" in sys.executable)"
	sort <<X
b
a
X
	cat /no/such/file
	bash -c "kill -TERM \$\$"; echo $?
	exec bash -c "exit 7"' 2>said
echo $?
grep -v -e warning -e '   ' -e recorder said
true
