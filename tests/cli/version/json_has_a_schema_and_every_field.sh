# What depends on the build is cut out.
trackway version --json | sed 's/"\(commit\|compiler\|flags\|simd\)":\("[^"]*"\|null\)/"\1":.../g'
