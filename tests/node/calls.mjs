// Starts a server, lists what it has, makes the calls of a JSON list, and prints all answers as JSON.
// The first word says which SDK: 1 is @modelcontextprotocol/sdk, 2 is @modelcontextprotocol/client.
const [sdk, calls, command, ...args] = process.argv.slice(2);
const [{ Client }, { StdioClientTransport }] = await Promise.all(
  sdk === "1"
    ? [
        import("@modelcontextprotocol/sdk/client/index.js"),
        import("@modelcontextprotocol/sdk/client/stdio.js"),
      ]
    : [import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")],
);
const client = new Client({ name: "tests", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const answers = {
  server: client.getServerVersion(),
  tools: (await client.listTools()).tools,
  prompts: (await client.listPrompts()).prompts,
  results: [],
};
for (const [name, given] of JSON.parse(calls)) {
  answers.results.push(await client.callTool({ name, arguments: given }));
}
answers.resources = (await client.listResources()).resources;
await client.close();
console.log(JSON.stringify(answers));
