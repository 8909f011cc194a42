trackway record --otlp --upstream openai=http://h -- true
trackway record --otlp --intercept -- true
