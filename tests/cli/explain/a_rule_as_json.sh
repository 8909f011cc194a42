trackway explain E_SEQ_GAP --json
