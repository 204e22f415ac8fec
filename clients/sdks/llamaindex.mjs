// LlamaIndex: its model class, and an agent with tools.
import { OpenAI } from "@llamaindex/openai";
import { agent, agentStreamEvent } from "@llamaindex/workflow";
import { tool } from "llamaindex";
import { z } from "zod";
import {
  ask,
  cannot,
  check,
  checkPieces,
  key,
  load,
  person,
  pictureData,
  same,
  save,
  throws,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

// It knows by the model's bare name that the model can call tools.
const llm = new OpenAI({ model: "gpt-4o", apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const own = Object.entries(tools).map(([name, { description, fields, run }]) => {
  const parameters = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  return tool({ name, description, parameters, execute: run });
});
const helper = agent({ llm, tools: own });
const play = async (scene) => check(scene, (await helper.run(ask(scene))).data.result);
const user = (content) => ({ role: "user", content });

await tryAll({
  turns: async () => {
    const messages = [user(ask("hello"))];
    const { message } = await llm.chat({ messages });
    check("hello", message.content);
    messages.push(message);
    save(messages);
    const second = await llm.chat({ messages: [...messages, user(ask("remember"))] });
    check("remember", second.message.content);
  },
  stream: async () => {
    let text = "";
    let pieces = 0;
    for await (const event of helper.runStream(ask("shell"))) {
      if (!agentStreamEvent.include(event) || !event.data.delta) continue;
      text += event.data.delta;
      pieces++;
    }
    check("shell", text);
    checkPieces(pieces);
  },
  shell: () => play("shell"),
  edit: () => play("edit"),
  image: async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pictureData}` } };
    const { message } = await llm.chat({ messages: [user([{ type: "text", text: ask("image") }, image])] });
    check("image", message.content);
  },
  fail: () => play("fail"),
  fields: async () => {
    const responseFormat = z.object({ name: z.string(), age: z.number() });
    const { message } = await llm.chat({ messages: [user(ask("fields"))], responseFormat });
    same(JSON.parse(message.content), person);
  },
  error: async () => void (await throws(() => llm.chat({ messages: [user(ask("error"))] }))),
  cancel: async () => cannot("its calls cannot be stopped"),
  resume: async () => {
    const { message } = await llm.chat({ messages: [...load(), user(ask("remember"))] });
    check("remember", message.content);
  },
});
