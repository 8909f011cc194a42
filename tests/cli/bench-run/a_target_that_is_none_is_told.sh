. "$(dirname "$0")/common"
trackway bench run "$suite"
echo "exit $?"
trackway bench run "$suite" --target mock
echo "exit $?"
trackway bench run "$suite" --target mokc:m
echo "exit $?"
trackway bench run "$suite" --target openai_responses:m@deep
echo "exit $?"
trackway bench run "$suite" --target mock:a/b --target mock:a:b
