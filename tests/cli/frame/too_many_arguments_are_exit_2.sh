trackway version 1
