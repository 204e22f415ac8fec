// An MCP server over standard input and output. It hands each message to the MCP endpoint whose address is its argument.
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  void (async () => {
    const answer = await fetch(process.argv[2], {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: line,
    });
    const text = await answer.text();
    if (text !== "") process.stdout.write(`${text}\n`);
  })();
}
