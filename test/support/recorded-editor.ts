import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Json, objectOf } from "./recorded-requests.ts";
import { command, modelAt } from "./server.ts";

/** Says to `tackle acp` what an editor has said to another agent, and returns the results of its requests. */
export async function replayEditor(
  messages: readonly Json[],
  { cwd, upstream }: { cwd: string; upstream: string },
): Promise<Json[]> {
  const child = spawn(command, ["acp", "--data", join(cwd, "editor")], {
    cwd,
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      HOME: cwd,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      ...modelAt(upstream),
      TACKLE_MODEL: "openai/stub-1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const say = (message: Json) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const heard = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const results: Json[] = [];
  let sessionId: unknown;
  try {
    for (const { id, method, params } of messages.filter(
      ({ from, method: name }) => from === "client" && name,
    )) {
      const own = { ...objectOf(params) };
      if (own.cwd) own.cwd = cwd;
      if (own.sessionId) own.sessionId = sessionId;
      say({ id, method, params: own });
      const result = await resultOf(id);
      sessionId ??= result.sessionId;
      results.push(result);
    }
  } finally {
    child.kill();
  }
  return results;

  async function resultOf(id: unknown): Promise<Json> {
    for (;;) {
      const { value, done } = await heard.next();
      if (done) throw new Error("The agent has ended.");
      const message = objectOf(JSON.parse(value));
      if (message.method === undefined && message.id === id) return objectOf(message.result ?? message.error);
      // The agent asks: nothing that a recording has an answer to.
      if (message.id !== undefined)
        say({ id: message.id, error: { code: -32601, message: "no such method" } });
    }
  }
}
