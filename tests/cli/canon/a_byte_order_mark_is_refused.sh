printf '\357\273\277{}' > bom.json
trackway canon bom.json
