trackway explain E_SEQ_GAP V001
