trackway mock --script nothing.json
