// The parts under OpenInference's instrumentation for Node, sent as JSON, with spans for tools and agents by hand.
import { load, run } from "./parts.mjs";

const { trace } = await load("@opentelemetry/api");
const { NodeTracerProvider, BatchSpanProcessor } = await load("@opentelemetry/sdk-trace-node");
const { OTLPTraceExporter } = await load("@opentelemetry/exporter-trace-otlp-http");
const { OpenAIInstrumentation } = await load("@arizeai/openinference-instrumentation-openai");
const { OpenAI } = await load("openai");

const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });
provider.register();
new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI);

const tracer = trace.getTracer("parts");
const inside = (kind) => (name, f) =>
	tracer.startActiveSpan(name, { attributes: { "openinference.span.kind": kind } }, async (span) => {
		if (kind === "TOOL")
			span.setAttribute("tool.name", name);
		try {
			return await f();
		} finally {
			span.end();
		}
	});
await run(OpenAI, inside("TOOL"), inside("AGENT"));
await provider.shutdown();
