// CopilotKit: its runtime in front of our server, and its front-end core with tools that run in the page.
import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { HttpAgent } from "@ag-ui/client";
import { CopilotKitCore } from "@copilotkit/core";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { z } from "zod";
import {
  ask,
  cannot,
  check,
  checkPieces,
  load,
  pictureData,
  same,
  save,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

// The runtime brings a version of the client of its own, which is stricter than the newest.
const { HttpAgent: StrictAgent } = createRequire(import.meta.resolve("@copilotkit/runtime/v2"))(
  "@ag-ui/client",
);
const options = { url: `${url}/chat/ag-ui` };
const agents = { default: new StrictAgent(options), newest: new HttpAgent(options) };
const runtime = new CopilotRuntime({ agents });
const listener = createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" });
const server = createServer({ keepAliveTimeout: 60_000 }, listener);
server.listen(0, "127.0.0.1");
await once(server, "listening");

globalThis.window = globalThis; // The core connects in a browser only.
const core = new CopilotKitCore({
  runtimeUrl: `http://127.0.0.1:${server.address().port}/api/copilotkit`,
  tools: Object.entries(tools).map(([name, { description, fields, run }]) => ({
    name,
    description,
    parameters: z.object(Object.fromEntries(fields.map((field) => [field, z.string()]))),
    // The core ends at an error, so its tools tell the model about failures themselves.
    handler: (input) => run(input).catch((error) => `Error: ${error.message}`),
  })),
});
const problems = [];
core.subscribe({
  onError: ({ error, code }) =>
    void problems.push(new Error(`${code}: ${error.message}`, { cause: error.cause })),
});
for (let tries = 0; tries < 100 && !core.getAgent("default"); tries++)
  await new Promise((resolve) => setTimeout(resolve, 100));

/** A separate conversation. */
function converse(name = "default") {
  const agent = core.getAgent(name).clone();
  agent.threadId = crypto.randomUUID();
  const pieces = [];
  agent.subscribe({ onTextMessageContentEvent: ({ event }) => void pieces.push(event.delta) });
  return {
    agent,
    pieces,
    async say(content) {
      agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
      return this.run();
    },
    async run(more = {}) {
      problems.length = 0;
      await core.runAgent({ agent, ...more });
      if (problems.length > 0) throw problems[0];
      return agent.messages.at(-1).content;
    },
  };
}

const play = async (scene, name) => check(scene, await converse(name).say(ask(scene)));

await tryAll({
  turns: async () => {
    const talk = converse();
    const { agent } = talk;
    agent.setState({ theme: "dark" });
    check("hello", await talk.say(ask("hello")));
    save(agent.messages);
    check("remember", await talk.say(ask("remember")));
    same(agent.state, { theme: "dark" });
    await talk.say(ask("question"));
    const [{ id: interruptId }] = agent.pendingInterrupts;
    const payload = { answer: "Oslo" };
    check("question", await talk.run({ resume: [{ interruptId, status: "resolved", payload }] }));
  },
  stream: async () => {
    const talk = converse();
    check("hello", await talk.say(ask("hello")));
    checkPieces(talk.pieces.length);
  },
  shell: async () => {
    await play("shell", "default");
    await play("shell", "newest");
  },
  edit: () => play("edit"),
  image: async () => {
    const talk = converse();
    const source = { type: "data", value: pictureData, mimeType: "image/png" };
    check(
      "image",
      await talk.say([
        { type: "text", text: ask("image") },
        { type: "image", source },
      ]),
    );
  },
  fail: () => play("fail"),
  fields: async () => cannot("AG-UI has none"),
  error: async () => {
    const talk = converse();
    const error = await talk.say(ask("error")).then(
      () => undefined,
      (thrown) => thrown,
    );
    if (!/refuses/.test(String(error?.message))) throw error ?? new Error("no error was reported");
  },
  cancel: async () => {
    const talk = converse();
    const { agent } = talk;
    agent.subscribe({ onTextMessageContentEvent: () => void core.stopAgent({ agent }) });
    await talk.say(ask("wait")).catch(() => undefined); // A stopped run may be reported as one.
  },
  resume: async () => {
    const talk = converse();
    talk.agent.setMessages(load());
    check("remember", await talk.say(ask("remember")));
  },
});
