// Anthropic's own library, with its tool runner.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
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
  schemaOf,
  throws,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
const max_tokens = 1024;
const own = Object.entries(tools).map(([name, tool]) =>
  betaTool({ name, description: tool.description, inputSchema: schemaOf(tool), run: tool.run }),
);
const user = (content) => ({ role: "user", content });
const textOf = ({ content }) => content.map(({ text = "" }) => text).join("");
const create = (messages) => client.messages.create({ model, max_tokens, messages });
const runTools = (scene) =>
  client.beta.messages.toolRunner({ model, max_tokens, messages: [user(ask(scene))], tools: own });

await tryAll({
  turns: async () => {
    const messages = [user(ask("hello"))];
    const first = await create(messages);
    check("hello", textOf(first));
    messages.push({ role: "assistant", content: first.content });
    save(messages);
    check("remember", textOf(await create([...messages, user(ask("remember"))])));
  },
  stream: async () => {
    const stream = client.messages.stream({ model, max_tokens, messages: [user(ask("hello"))] });
    let pieces = 0;
    stream.on("text", () => pieces++);
    const message = await stream.finalMessage();
    check("hello", textOf(message));
    checkPieces(pieces);
    if (message.stop_reason !== "end_turn" || !message.usage.output_tokens) throw new Error("it has no end");
  },
  shell: async () => check("shell", textOf(await runTools("shell"))),
  edit: async () => check("edit", textOf(await runTools("edit"))),
  image: async () => {
    const source = { type: "base64", media_type: "image/png", data: pictureData };
    const content = [
      { type: "image", source },
      { type: "text", text: ask("image") },
    ];
    check("image", textOf(await create([user(content)])));
  },
  fail: async () => check("fail", textOf(await runTools("fail"))),
  fields: async () => {
    const format = zodOutputFormat(z.object({ name: z.string(), age: z.number() }));
    const messages = [user(ask("fields"))];
    const answer = await client.messages.parse({ model, max_tokens, messages, output_config: { format } });
    same(answer.parsed_output, person);
  },
  error: async () => {
    const error = await throws(() => create([user(ask("error"))]));
    if (!(error instanceof Anthropic.BadRequestError)) throw error;
  },
  cancel: async () => {
    const stream = client.messages.stream({ model, max_tokens, messages: [user(ask("wait"))] });
    stream.on("text", () => stream.abort());
    await stream.done().catch((error) => {
      if (!(error instanceof Anthropic.APIUserAbortError)) throw error;
    });
  },
  resume: async () => check("remember", textOf(await create([...load(), user(ask("remember"))]))),
});
