trackway version -x
