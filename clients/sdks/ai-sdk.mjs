// The AI SDK with any of its providers.
import { generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";
import {
  ask,
  check,
  checkPieces,
  load,
  person,
  pictureData,
  same,
  save,
  throws,
  tools,
  tryAll,
} from "./kit.mjs";

/** Tries the AI SDK with this model. */
export async function tryModel(model) {
  const own = Object.fromEntries(
    Object.entries(tools).map(([name, { description, fields, run }]) => {
      const inputSchema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
      return [name, tool({ description, inputSchema, execute: run })];
    }),
  );
  const stopWhen = isStepCount(6);
  const generate = (options) => generateText({ model, tools: own, stopWhen, maxRetries: 0, ...options });
  const stream = (options) => streamText({ model, tools: own, stopWhen, maxRetries: 0, ...options });

  await tryAll({
    turns: async () => {
      const messages = [{ role: "user", content: ask("hello") }];
      const first = await generate({ messages });
      check("hello", first.text);
      messages.push(...first.responseMessages);
      save(messages);
      const second = await generate({ messages: [...messages, { role: "user", content: ask("remember") }] });
      check("remember", second.text);
    },
    stream: async () => {
      const result = stream({ prompt: ask("shell") });
      const kinds = [];
      for await (const part of result.fullStream) kinds.push(part.type);
      check("shell", await result.text);
      checkPieces(kinds.filter((kind) => kind === "text-delta").length);
      for (const kind of ["tool-call", "tool-result", "finish"])
        if (!kinds.includes(kind)) throw new Error(`${kind} is missing`);
      if ((await result.totalUsage).inputTokens === undefined) throw new Error("there is no usage");
    },
    shell: async () => {
      const result = await generate({ prompt: ask("shell") });
      check("shell", result.text);
      same(result.steps[0].toolResults[0].output, "tackle-42\n");
    },
    edit: async () => check("edit", await stream({ prompt: ask("edit") }).text),
    image: async () => {
      const image = { type: "file", data: Buffer.from(pictureData, "base64"), mediaType: "image/png" };
      const content = [{ type: "text", text: ask("image") }, image];
      check("image", (await generate({ messages: [{ role: "user", content }] })).text);
    },
    fail: async () => check("fail", await stream({ prompt: ask("fail") }).text),
    fields: async () => {
      const schema = z.object({ name: z.string(), age: z.number() });
      const result = await generateText({ model, prompt: ask("fields"), output: Output.object({ schema }) });
      same(result.output, person);
    },
    error: async () => {
      const error = await throws(() => generate({ prompt: ask("error") }));
      if (error.statusCode !== 400) throw error;
    },
    cancel: async () => {
      const stop = new AbortController();
      for await (const part of stream({ prompt: ask("wait"), abortSignal: stop.signal }).fullStream)
        if (part.type === "text-delta") stop.abort();
    },
    resume: async () => {
      const messages = [...load(), { role: "user", content: ask("remember") }];
      check("remember", (await generate({ messages })).text);
    },
  });
}
