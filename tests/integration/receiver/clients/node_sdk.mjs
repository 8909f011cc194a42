// Model calls with OpenAI's SDK for Node under an instrumentation of others, whose spans go out by the exporter of
// OpenTelemetry's SDK. usage: node_sdk.mjs traceloop|openinference proto|http
import { NodeTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-node";

const [which, form] = process.argv.slice(2);
const { OTLPTraceExporter } = await import(`@opentelemetry/exporter-trace-otlp-${form}`);
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
provider.register();
const { default: OpenAI } = await import("openai");
const { OpenAIInstrumentation } = await import(
	which === "traceloop" ? "@traceloop/instrumentation-openai" : "@arizeai/openinference-instrumentation-openai");
const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(OpenAI);

const client = new OpenAI({ apiKey: "sk-none", maxRetries: 0 });
const messages = [{ role: "user", content: process.env.CANARY }];
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
for (let i = 0; i < 3; i++) {
	const got = await client.chat.completions.create({ model: "gpt-x", messages, tools });
	const said = got.choices[0].message;
	messages.push(said);
	for (const call of said.tool_calls ?? [])
		messages.push({ role: "tool", tool_call_id: call.id, content: "seen" });
	messages.push({ role: "user", content: "go on" });
}
await provider.shutdown();
