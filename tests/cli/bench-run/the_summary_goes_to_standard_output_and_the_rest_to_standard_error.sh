. "$(dirname "$0")/common"
good --target mock:other --run-id r >out 2>err
echo "exit $?"
clean <err
