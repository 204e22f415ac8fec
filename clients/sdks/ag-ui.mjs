// The AG-UI client, as an application without a framework uses it.
import { HttpAgent } from "@ag-ui/client";
import {
  ask,
  cannot,
  check,
  checkPieces,
  load,
  pictureData,
  save,
  schemaOf,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

const offered = Object.entries(tools).map(([name, tool]) => ({
  name,
  description: tool.description,
  parameters: schemaOf(tool),
}));

/** A conversation whose tools run here, until the agent needs none. */
function converse(messages = []) {
  const agent = new HttpAgent({ url: `${url}/chat/ag-ui`, initialMessages: messages });
  const pieces = [];
  agent.subscribe({ onTextMessageContentEvent: ({ event }) => void pieces.push(event.delta) });
  const say = async (content) => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
    for (;;) {
      const { newMessages } = await agent.runAgent({ tools: offered });
      const calls = newMessages
        .flatMap(({ toolCalls = [] }) => toolCalls)
        .filter(({ function: { name } }) => name in tools);
      if (calls.length === 0) return agent.messages.at(-1).content;
      for (const { id, function: called } of calls) agent.addMessage(await resultOf(id, called));
    }
  };
  return { agent, pieces, say };
}

async function resultOf(toolCallId, { name, arguments: text }) {
  const message = { id: crypto.randomUUID(), role: "tool", toolCallId };
  try {
    return { ...message, content: await tools[name].run(JSON.parse(text)) };
  } catch (error) {
    return { ...message, content: error.message, error: error.message };
  }
}

const play = async (scene) => check(scene, await converse().say(ask(scene)));

await tryAll({
  turns: async () => {
    const { say, agent } = converse();
    check("hello", await say(ask("hello")));
    save(agent.messages);
    check("remember", await say(ask("remember")));
    await say(ask("question"));
    const [{ id: interruptId }] = agent.pendingInterrupts;
    await agent.runAgent({
      tools: offered,
      resume: [{ interruptId, status: "resolved", payload: { answer: "Oslo" } }],
    });
    check("question", agent.messages.at(-1).content);
  },
  stream: async () => {
    const { say, pieces } = converse();
    check("hello", await say(ask("hello")));
    checkPieces(pieces.length);
  },
  shell: () => play("shell"),
  edit: () => play("edit"),
  image: async () => {
    const source = { type: "data", value: pictureData, mimeType: "image/png" };
    const content = [
      { type: "text", text: ask("image") },
      { type: "image", source },
    ];
    check("image", await converse().say(content));
  },
  fail: () => play("fail"),
  fields: async () => cannot("the protocol has none"),
  error: async () => {
    const { agent, say } = converse();
    let told;
    agent.subscribe({
      onRunErrorEvent: ({ event }) => {
        told = event.message;
      },
    });
    await say(ask("error")).catch(() => undefined); // The event counts.
    if (!/refuses/.test(told)) throw new Error(`it was told: ${told}`);
  },
  cancel: async () => {
    const { agent, say } = converse();
    agent.subscribe({ onTextMessageContentEvent: () => void agent.abortRun() });
    await say(ask("wait")).catch(() => undefined); // Some versions reject after an abort.
  },
  resume: async () => check("remember", await converse(load()).say(ask("remember"))),
});
