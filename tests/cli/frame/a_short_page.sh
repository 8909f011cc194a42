trackway version -h
