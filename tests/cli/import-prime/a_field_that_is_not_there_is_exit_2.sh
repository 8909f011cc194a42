trackway import prime ev-9 --json=nothing
