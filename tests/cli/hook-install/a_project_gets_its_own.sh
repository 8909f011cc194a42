# With --project the file is that of the current directory.
mkdir project
cd project || exit 1
trackway hook install cursor --project
sed -E 's#"[^"]*/trackway hook#"TRACKWAY hook#' .cursor/hooks.json
