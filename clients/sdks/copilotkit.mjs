// CopilotKit: its runtime in front of our server, and its front-end core with tools that run in the page.
import { once } from "node:events";
import { createServer } from "node:http";
import { HttpAgent } from "@ag-ui/client";
import { CopilotKitCore } from "@copilotkit/core";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { z } from "zod";
import { ask, cannot, check, load, pictureData, save, tools, tryAll, url } from "./kit.mjs";

const runtime = new CopilotRuntime({ agents: { default: new HttpAgent({ url: `${url}/chat/ag-ui` }) } });
const server = createServer(createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" }));
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
core.subscribe({ onError: ({ error }) => void problems.push(error) });
const connected = async () => {
  for (let tries = 0; tries < 100 && !core.getAgent("default"); tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return core.getAgent("default");
};

/** A conversation of its own. */
async function converse(threadId) {
  const agent = (await connected()).clone();
  agent.threadId = threadId;
  const pieces = [];
  agent.subscribe({ onTextMessageContentEvent: ({ event }) => void pieces.push(event.delta) });
  return {
    agent,
    pieces,
    async say(content) {
      agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
      problems.length = 0;
      await core.runAgent({ agent });
      if (problems.length > 0) throw problems[0];
      return agent.messages.at(-1).content;
    },
  };
}

const play = async (scene) => check(scene, await (await converse(crypto.randomUUID())).say(ask(scene)));

await tryAll({
  turns: async () => {
    const { say, agent } = await converse(crypto.randomUUID());
    check("hello", await say(ask("hello")));
    save(agent.messages);
    check("remember", await say(ask("remember")));
  },
  stream: async () => {
    const { say, pieces } = await converse(crypto.randomUUID());
    check("hello", await say(ask("hello")));
    if (pieces.length < 3) throw new Error("the text came at once");
  },
  shell: () => play("shell"),
  edit: () => play("edit"),
  image: async () => {
    const { say } = await converse(crypto.randomUUID());
    const source = { type: "data", value: pictureData, mimeType: "image/png" };
    check(
      "image",
      await say([
        { type: "text", text: ask("image") },
        { type: "image", source },
      ]),
    );
  },
  fail: () => play("fail"),
  fields: async () => cannot("AG-UI has none"),
  error: async () => {
    const { say } = await converse(crypto.randomUUID());
    const error = await say(ask("error")).then(
      () => undefined,
      (thrown) => thrown,
    );
    if (!/refuses/.test(String(error?.message))) throw error ?? new Error("no error was reported");
  },
  cancel: async () => {
    const { say, agent } = await converse(crypto.randomUUID());
    agent.subscribe({ onTextMessageContentEvent: () => void core.stopAgent({ agent }) });
    await say(ask("wait")).catch(() => undefined); // A stopped run may be reported as one.
  },
  resume: async () => {
    const { say, agent } = await converse(crypto.randomUUID());
    agent.setMessages(load());
    check("remember", await say(ask("remember")));
  },
});
