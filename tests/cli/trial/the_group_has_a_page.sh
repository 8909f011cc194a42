trackway trial
