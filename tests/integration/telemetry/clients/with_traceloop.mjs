// The parts under Traceloop's SDK for Node.
import { load, run } from "./parts.mjs";

const traceloop = await load("@traceloop/node-server-sdk");
const { OTLPTraceExporter } = await load("@opentelemetry/exporter-trace-otlp-proto");
const { OpenAI } = await load("openai");

traceloop.initialize({
	appName: "parts",
	exporter: new OTLPTraceExporter(),
	instrumentModules: { openAI: OpenAI },
	traceloopSyncEnabled: false,
	silenceInitializationMessage: true,
});
await run(
	OpenAI,
	(name, f) => traceloop.withTool({ name }, f),
	(name, f) => traceloop.withWorkflow({ name }, f),
);
await traceloop.forceFlush();
