# An .eval of Inspect is a zip archive: it has no canonical form.
printf 'PK\003\004 and so on' >log.eval
trackway hash log.eval
sha256sum log.eval
trackway hash --json log.eval
sha256sum log.eval >sums && trackway hash --check sums
trackway hash - <log.eval
