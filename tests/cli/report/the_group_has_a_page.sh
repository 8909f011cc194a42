trackway report
