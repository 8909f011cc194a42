trackway formats results
