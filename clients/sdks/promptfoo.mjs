// promptfoo: evaluations with its OpenAI provider at our address.
import promptfoo from "promptfoo";
import {
  ask,
  cannot,
  key,
  model,
  person,
  personSchema,
  pictureData,
  schemaOf,
  tools,
  tryAll,
  url,
} from "./kit.mjs";

const settings = { apiBaseUrl: `${url}/v1`, apiKey: key };
const provider = (config = {}, api = "chat") => ({
  id: `openai:${api}:${model}`,
  config: { ...settings, ...config },
});

/** Evaluates one prompt. Fails unless every assertion holds. */
async function evaluate(prompt, assert, providers = [provider()]) {
  const suite = { prompts: [prompt], providers, tests: [{ assert }] };
  const { results, stats } = await (
    await promptfoo.evaluate(suite, { cache: false, maxConcurrency: 1 })
  ).toEvaluateSummary();
  if (stats.failures + stats.errors > 0 || results.length === 0)
    throw new Error(results.map(({ error, response }) => `${error} ${JSON.stringify(response)}`).join("; "));
}

const contains = (value) => [{ type: "contains", value }];
const good = (scene) => contains(`Scene ${scene}: good.`);
const RUNS_NO_LOOP = "it judges calls and does not send their results back";

await tryAll({
  turns: async () => {
    const messages = [
      { role: "user", content: ask("hello") },
      { role: "assistant", content: "I am the scripted model." },
      { role: "user", content: ask("remember") },
    ];
    await evaluate(JSON.stringify(messages), good("remember"));
    await evaluate(ask("hello"), good("hello"), [provider({}, "responses")]);
  },
  stream: async () => cannot("it waits for whole answers"),
  shell: async () => {
    const functions = Object.entries(tools).map(([name, tool]) => ({
      type: "function",
      function: { name, description: tool.description, parameters: schemaOf(tool) },
    }));
    const assert = [{ type: "is-valid-openai-tools-call" }, ...contains("run_command")];
    await evaluate(ask("shell"), assert, [provider({ tools: functions })]);
  },
  edit: async () => cannot(RUNS_NO_LOOP),
  image: async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pictureData}` } };
    const content = [{ type: "text", text: ask("image") }, image];
    await evaluate(JSON.stringify([{ role: "user", content }]), good("image"));
  },
  fail: async () => cannot(RUNS_NO_LOOP),
  fields: async () => {
    const response_format = {
      type: "json_schema",
      json_schema: { name: "person", strict: true, schema: personSchema },
    };
    const assert = [
      { type: "javascript", value: `JSON.stringify(output) === ${JSON.stringify(JSON.stringify(person))}` },
    ];
    await evaluate(ask("fields"), assert, [provider({ response_format })]);
  },
  error: async () => {
    const told = await evaluate(ask("error"), good("error")).then(
      () => "",
      (error) => error.message,
    );
    if (!/scripted vendor refuses/.test(told)) throw new Error(`it was told: ${told}`);
  },
  cancel: async () => cannot("its calls cannot be stopped"),
  resume: async () => cannot("it keeps no conversations"),
});
