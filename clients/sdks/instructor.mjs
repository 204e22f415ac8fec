// Instructor: structured answers through OpenAI's library.
import Instructor from "@instructor-ai/instructor";
import OpenAI from "openai";
// It cannot read schemas of Zod 4 yet.
import { z } from "zod/v3";
import {
  ask,
  cannot,
  key,
  load,
  model,
  person,
  pictureData,
  same,
  save,
  throws,
  tryAll,
  url,
} from "./kit.mjs";

const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const clientFor = (mode) => Instructor({ client: openai, mode });
const schema = z.object({ name: z.string(), age: z.number() });
const response_model = { schema, name: "Person" };
const user = (content) => ({ role: "user", content });
const extract = (mode, messages, more = {}) =>
  clientFor(mode).chat.completions.create({ model, messages, response_model, max_retries: 0, ...more });
const fields = ({ name, age }) => ({ name, age });
const WITHOUT_TOOLS = "it extracts data and runs no tools";

await tryAll({
  turns: async () => {
    const messages = [user(ask("fields"))];
    const first = fields(await extract("TOOLS", messages));
    same(first, person);
    messages.push({ role: "assistant", content: JSON.stringify(first) });
    save(messages);
    same(fields(await extract("TOOLS", [...messages, user(ask("fields"))])), person);
  },
  stream: async () => {
    const stream = await extract("TOOLS", [user(ask("fields"))], { stream: true });
    let last;
    for await (const partial of stream) last = partial;
    same(fields(last), person);
  },
  shell: async () => cannot(WITHOUT_TOOLS),
  edit: async () => cannot(WITHOUT_TOOLS),
  image: async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pictureData}` } };
    same(fields(await extract("TOOLS", [user([{ type: "text", text: ask("fields") }, image])])), person);
  },
  fail: async () => cannot(WITHOUT_TOOLS),
  fields: async () => {
    for (const mode of ["TOOLS", "FUNCTIONS", "JSON", "MD_JSON", "JSON_SCHEMA"])
      same(fields(await extract(mode, [user(ask("fields"))])), person);
  },
  error: async () => void (await throws(() => extract("TOOLS", [user(ask("error"))]))),
  cancel: async () => cannot("its calls cannot be stopped"),
  resume: async () => same(fields(await extract("TOOLS", [...load(), user(ask("fields"))])), person),
});
