// OpenAI Agents with the session that keeps its conversation on the server.
import {
  Agent,
  OpenAIConversationsSession,
  run,
  setDefaultOpenAIClient,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import {
  ask,
  check,
  checkPieces,
  key,
  load,
  model,
  person,
  pictureData,
  same,
  save,
  throws,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
setDefaultOpenAIClient(client);
setTracingDisabled(true);
const own = Object.entries(tools).map(([name, { description, fields, run: execute }]) => {
  const parameters = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  return tool({ name, description, parameters, execute });
});
const agent = new Agent({ name: "Helper", instructions: "Help.", model, tools: own });
const writer = new Agent({
  name: "Writer",
  model,
  outputType: z.object({ name: z.string(), age: z.number() }),
});
const play = async (scene) => (await run(agent, ask(scene))).finalOutput;

await tryAll({
  turns: async () => {
    const session = new OpenAIConversationsSession({ client });
    check("hello", (await run(agent, ask("hello"), { session })).finalOutput);
    check("shell", (await run(agent, ask("shell"), { session })).finalOutput);
    check("remember", (await run(agent, ask("remember"), { session })).finalOutput);
    save(await session.getSessionId());
  },
  stream: async () => {
    const result = await run(agent, ask("shell"), { stream: true });
    let pieces = 0;
    for await (const _ of result.toTextStream()) pieces++;
    await result.completed;
    check("shell", result.finalOutput);
    checkPieces(pieces);
  },
  shell: async () => check("shell", await play("shell")),
  edit: async () => check("edit", await play("edit")),
  image: async () => {
    const content = [
      { type: "input_text", text: ask("image") },
      { type: "input_image", image: `data:image/png;base64,${pictureData}` },
    ];
    check("image", (await run(agent, [{ role: "user", content }])).finalOutput);
  },
  fail: async () => check("fail", await play("fail")),
  fields: async () => same((await run(writer, ask("fields"))).finalOutput, person),
  error: async () => void (await throws(() => play("error"))),
  cancel: async () => {
    const stop = new AbortController();
    const result = await run(agent, ask("wait"), { stream: true, signal: stop.signal });
    try {
      for await (const _ of result.toTextStream()) stop.abort();
      await result.completed;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  },
  resume: async () => {
    const session = new OpenAIConversationsSession({ client, conversationId: load() });
    check("remember", (await run(agent, ask("remember"), { session })).finalOutput);
  },
});
