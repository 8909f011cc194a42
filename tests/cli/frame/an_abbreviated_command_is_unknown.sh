trackway vers
