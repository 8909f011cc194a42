. "$DATA/../cli/trial-run/common"
cat >agent.py <<'END'
import os
import urllib.request
open("answer", "w").write("4")
try:
    urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b"{}")
except OSError:
    pass
END
trackway trial run task --agent "python3 agent.py" --upstream openai=http://127.0.0.1:1/v1 --isolation none -q \
	--json=classes,scored,mean_reward
