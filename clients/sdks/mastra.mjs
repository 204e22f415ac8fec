// Mastra: an agent with tools, and models at an OpenAI-compatible address.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
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

const own = Object.fromEntries(
  Object.entries(tools).map(([id, { description, fields, run }]) => {
    const inputSchema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
    return [id, createTool({ id, description, inputSchema, execute: (input) => run(input) })];
  }),
);
const agent = new Agent({
  id: "helper",
  name: "Helper",
  instructions: "Help.",
  model: { id: `tackle/${model}`, url: `${url}/v1`, apiKey: key },
  tools: own,
  maxRetries: 0,
});
const play = async (scene) => check(scene, (await agent.generate(ask(scene), { maxSteps: 6 })).text);
const user = (content) => ({ role: "user", content });

await tryAll({
  turns: async () => {
    const first = await agent.generate([user(ask("hello"))]);
    check("hello", first.text);
    const messages = [user(ask("hello")), { role: "assistant", content: first.text }];
    save(messages);
    check("remember", (await agent.generate([...messages, user(ask("remember"))])).text);
  },
  stream: async () => {
    const result = await agent.stream(ask("shell"), { maxSteps: 6 });
    let pieces = 0;
    for await (const _ of result.textStream) pieces++;
    check("shell", await result.text);
    checkPieces(pieces);
  },
  shell: () => play("shell"),
  edit: () => play("edit"),
  image: async () => {
    const image = { type: "image", image: `data:image/png;base64,${pictureData}`, mediaType: "image/png" };
    check("image", (await agent.generate([user([{ type: "text", text: ask("image") }, image])])).text);
  },
  fail: () => play("fail"),
  fields: async () => {
    const schema = z.object({ name: z.string(), age: z.number() });
    const writer = new Agent({
      ...{ id: "writer", name: "Writer", instructions: "Write." },
      model: { id: `tackle/${model}`, url: `${url}/v1`, apiKey: key },
    });
    same((await writer.generate(ask("fields"), { structuredOutput: { schema } })).object, person);
  },
  error: async () => void (await throws(() => agent.generate(ask("error")))),
  cancel: async () => {
    const stop = new AbortController();
    const result = await agent.stream(ask("wait"), { abortSignal: stop.signal });
    try {
      for await (const _ of result.textStream) stop.abort();
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  },
  resume: async () => check("remember", (await agent.generate([...load(), user(ask("remember"))])).text),
});
