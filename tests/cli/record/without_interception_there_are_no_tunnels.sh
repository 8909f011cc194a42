. "$DATA/../cli/record/common"
record -o run --no-intercept -- sh -c '"$0" api.openai.com:443 /; echo "${HTTPS_PROXY-unset}"' "$cases/through" 2>/dev/null
record -o other --intercept --no-intercept -- true
