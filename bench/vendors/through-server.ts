import { startServer, temporaryFolder } from "../../test/support/server.ts";
import { AWKWARD_TOOLS } from "./awkward-tools.ts";
import { type Captured, check } from "./capture.ts";
import { VENDORS } from "./models.ts";
import { startStandIn } from "./stand-in.ts";

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";
const user = (content: unknown) => ({ role: "user", content });
const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at": "ho' } };
const tools = [...AWKWARD_TOOLS.values()].map(({ name, description, parameters }) => ({
  type: "function",
  function: { name, description, parameters },
}));

/** Requests of OpenAI's clients to our own `/v1/chat/completions`. */
const REQUESTS: Record<string, object> = {
  hello: { messages: [user("Hello")] },
  "every parameter": {
    messages: [user("Hello")],
    temperature: 0.4,
    top_p: 0.9,
    max_tokens: 12,
    stop: ["END", "\n"],
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.1,
    reasoning_effort: "low",
  },
  "awkward tools": { messages: [user("Hello")], tools, tool_choice: "required" },
  "a broken call": {
    messages: [
      user("Look \ud83d"),
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "" },
    ],
    tools: tools.slice(0, 1),
  },
  "an image": {
    messages: [
      user([
        { type: "text", text: "See" },
        { type: "image_url", image_url: { url: PIXEL } },
      ]),
    ],
  },
  "a schema": {
    messages: [user("Name a city.")],
    response_format: {
      type: "json_schema",
      json_schema: { name: "city", schema: { type: "object", properties: { name: { type: "string" } } } },
    },
  },
};

/** Asks the first models of every vendor through a server in a separate process. */
export async function askThroughServer(options: { documents: boolean; models: number }): Promise<Captured[]> {
  const standIn = await startStandIn();
  const folder = temporaryFolder();
  const server = await startServer(folder.path, standIn.settings);
  const captured: Captured[] = [];
  try {
    for (const vendor of VENDORS)
      for (const model of vendor.models.slice(0, options.models))
        for (const [name, body] of Object.entries(REQUESTS)) {
          const answer = await fetch(`${server.url}/v1/chat/completions`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ model: `${vendor.id}/${model}`, ...body }),
          });
          await answer.text();
          const requests = standIn.take();
          captured.push(
            ...requests.map((one) => check(one, vendor, model, `server: ${name}`, options.documents)),
          );
        }
  } finally {
    await server.stop();
    await standIn.close();
    folder.remove();
  }
  return captured;
}
