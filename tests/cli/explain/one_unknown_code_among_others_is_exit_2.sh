trackway explain E_SEQ_GAP E_SEQ_GAPS
