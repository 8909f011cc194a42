trackway formats
