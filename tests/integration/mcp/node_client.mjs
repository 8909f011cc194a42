// A client of the official SDK for Node, version 1 or 2, that calls two tools.
// usage: node_client.mjs 1|2 PROGRAM [ARGUMENTS...]
const [, , version, command, ...args] = process.argv;
const [{ Client }, { StdioClientTransport }] = version === "1"
  ? [await import("@modelcontextprotocol/sdk/client/index.js"), await import("@modelcontextprotocol/sdk/client/stdio.js")]
  : [await import("@modelcontextprotocol/client"), await import("@modelcontextprotocol/client/stdio")];
const options = version === "1" ? {} : { versionNegotiation: { mode: "auto" } };
const client = new Client({ name: "node", version: "1" }, options);
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
for (const [name, given] of [["add", { a: 1, b: 2 }], ["fail", { why: "CANARY-WHY" }]]) {
  const result = await client.callTool({ name, arguments: given });
  console.log(name, result.isError ? "failed" : "done");
}
await client.close();
