trackway mock -n
