trackway completion tcsh
