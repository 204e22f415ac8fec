// OpenAI's own library: Chat Completions with its tool runner, and Responses.
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
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

const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const runnable = Object.entries(tools).map(([name, tool]) => ({
  type: "function",
  function: {
    name,
    description: tool.description,
    parameters: schemaOf(tool),
    parse: JSON.parse,
    // The runner ends at an error, so its tools tell the model about failures themselves.
    function: (input) => tool.run(input).catch((error) => `Error: ${error.message}`),
  },
}));
const user = (content) => [{ role: "user", content }];
const runTools = (scene, more = {}) =>
  client.chat.completions.runTools({ model, messages: user(ask(scene)), tools: runnable, ...more });
const Person = z.object({ name: z.string(), age: z.number() });

/** The loop that people write themselves with the Responses API. */
async function respond(scene) {
  const functions = Object.entries(tools).map(([name, tool]) => ({
    type: "function",
    name,
    description: tool.description,
    parameters: schemaOf(tool),
    strict: true,
  }));
  let response = await client.responses.create({ model, input: ask(scene), tools: functions });
  for (;;) {
    const calls = response.output.filter(({ type }) => type === "function_call");
    if (calls.length === 0) return response.output_text;
    const input = [];
    for (const { name, arguments: text, call_id } of calls)
      input.push({ type: "function_call_output", call_id, output: await tools[name].run(JSON.parse(text)) });
    response = await client.responses.create({
      model,
      input,
      tools: functions,
      previous_response_id: response.id,
    });
  }
}

await tryAll({
  turns: async () => {
    const first = await client.responses.create({ model, input: ask("hello") });
    check("hello", first.output_text);
    save(first.id);
    const messages = user(ask("hello"));
    const answer = await client.chat.completions.create({ model, messages });
    messages.push(answer.choices[0].message, ...user(ask("remember")));
    const second = await client.chat.completions.create({ model, messages });
    check("remember", second.choices[0].message.content);
  },
  stream: async () => {
    const runner = runTools("shell", { stream: true });
    let pieces = 0;
    runner.on("content", () => pieces++);
    check("shell", await runner.finalContent());
    checkPieces(pieces);
    const stream = client.responses.stream({ model, input: ask("hello") });
    let text = "";
    stream.on("response.output_text.delta", ({ delta }) => {
      text += delta;
    });
    check("hello", (await stream.finalResponse()).output_text);
    check("hello", text);
  },
  shell: async () => {
    check("shell", await runTools("shell").finalContent());
    check("shell", await respond("shell"));
  },
  edit: async () => check("edit", await runTools("edit").finalContent()),
  image: async () => {
    const image = `data:image/png;base64,${pictureData}`;
    const parts = [
      { type: "text", text: ask("image") },
      { type: "image_url", image_url: { url: image } },
    ];
    const answer = await client.chat.completions.create({ model, messages: user(parts) });
    check("image", answer.choices[0].message.content);
    const content = [
      { type: "input_text", text: ask("image") },
      { type: "input_image", image_url: image, detail: "auto" },
    ];
    check("image", (await client.responses.create({ model, input: user(content) })).output_text);
  },
  fail: async () => check("fail", await runTools("fail").finalContent()),
  fields: async () => {
    const messages = user(ask("fields"));
    const response_format = zodResponseFormat(Person, "person");
    const answer = await client.chat.completions.parse({ model, messages, response_format });
    same(answer.choices[0].message.parsed, person);
    const text = { format: zodTextFormat(Person, "person") };
    same((await client.responses.parse({ model, input: ask("fields"), text })).output_parsed, person);
  },
  error: async () => {
    const chat = await throws(() => client.chat.completions.create({ model, messages: user(ask("error")) }));
    if (!(chat instanceof OpenAI.BadRequestError)) throw chat;
    const response = await throws(() => client.responses.create({ model, input: ask("error") }));
    if (!(response instanceof OpenAI.BadRequestError)) throw response;
  },
  cancel: async () => {
    const stream = await client.chat.completions.create({ model, messages: user(ask("wait")), stream: true });
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    stream.controller.abort();
  },
  resume: async () => {
    const input = ask("remember");
    const next = await client.responses.create({ model, input, previous_response_id: load() });
    check("remember", next.output_text);
  },
});
