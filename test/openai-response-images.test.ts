import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer } from "./support/openai.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tools = [{ type: "image_generation" as const }];
const input = "Draw a heron.";

/** An answer of OpenAI's with an image that its own tool made. */
function painted(): Turn {
  const item = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    result: PNG,
    output_format: "png",
  };
  const response = { id: "resp_1", object: "response", status: "completed", output: [item] };
  const events = [
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return { frames: events.map((json) => ({ event: json.type, json })) };
}

let api: OpenAiServer;
beforeAll(async () => {
  api = await openServer({ TACKLE_IMAGE_MODEL: "demo/demo" });
});
afterAll(() => api?.close());

const WAYS = [
  {
    who: "the vendor",
    model: "gpt-5.5",
    made: [painted],
    next: () => responsesTurn({ text: "Grey." }),
  },
  {
    who: "our own tool",
    model: "gpt-4o",
    made: [
      () => chatTurn({ calls: [{ name: "generate_image", arguments: { prompt: "a heron" } }] }),
      () => chatTurn({ text: "Here it is." }),
    ],
    next: () => chatTurn({ text: "Grey." }),
  },
];

const imagesIn = (output: OpenAI.Responses.ResponseOutputItem[]) =>
  output.flatMap((item) => (item.type === "image_generation_call" ? [item] : []));
const isPng = (base64: string | null) => base64?.startsWith("iVBORw0KGgo") === true;

describe.each(WAYS)("an image that a client of Responses asks for, made by $who", ({ model, made, next }) => {
  const play = () => api.play(...made.map((turn) => turn()));
  const create = async () => {
    play();
    return api.openai.responses.create({ model, input, tools });
  };

  it("is an item with its bytes, also when the response is retrieved", async () => {
    const response = await create();
    const [image, ...more] = imagesIn(response.output);
    expect(more).toEqual([]);
    expect(image).toMatchObject({ status: "completed", output_format: "png" });
    expect(isPng(image?.result ?? null)).toBe(true);
    expect((await api.openai.responses.retrieve(response.id)).output).toEqual(response.output);
  });

  it("is streamed in order, and streamed again later", async () => {
    play();
    const stream = api.openai.responses.stream({ model, input, tools });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map(({ type }) => type).filter((type) => type.includes("image_generation"));
    expect(types).toEqual([
      "response.image_generation_call.in_progress",
      "response.image_generation_call.generating",
      "response.image_generation_call.completed",
    ]);
    const done = events.find(
      (event) => event.type === "response.output_item.done" && event.item.type === "image_generation_call",
    );
    expect(done).toMatchObject({ item: { result: expect.stringMatching(/^iVBORw0KGgo/) } });
    const { id } = await stream.finalResponse();
    const again: unknown[] = [];
    for await (const event of await api.openai.responses.retrieve(id, { stream: true }))
      again.push(event.type);
    expect(again).toEqual(events.map(({ type }) => type));
  });

  it("is known to the model in a conversation that continues, however it does", async () => {
    const first = await create();
    const asked = { model, tools, input: "Its color?" };
    api.play(next());
    await api.openai.responses.create({ ...asked, previous_response_id: first.id });
    const told = JSON.stringify(api.lastRequest().input ?? api.lastRequest().messages);
    expect(told).toMatch(/An image was made here|generate_image/);
    api.play(next());
    const said = { role: "user" as const, content: "Its color?" };
    await api.openai.responses.create({
      ...asked,
      input: [{ role: "user", content: input }, ...first.output, said] as OpenAI.Responses.ResponseInput,
    });
    expect(JSON.stringify(api.lastRequest().input ?? api.lastRequest().messages)).toBe(told);
  });
});

it("a model elsewhere can be forced to make the image with our tool", async () => {
  api.play(...(WAYS[1]?.made ?? []).map((turn) => turn()));
  const tool_choice = { type: "image_generation" as const };
  const { output } = await api.openai.responses.create({ model: "gpt-4o", input, tools, tool_choice });
  expect(imagesIn(output)).toHaveLength(1);
  const [forced] = api.upstream.requests.filter(({ method }) => method === "POST").slice(-2);
  expect(forced?.body).toMatchObject({ tool_choice: { function: { name: "generate_image" } } });
});

it("a failed image has no bytes", async () => {
  api.play(
    chatTurn({ calls: [{ name: "generate_image", arguments: { prompt: "" } }] }),
    chatTurn({ text: "Sorry." }),
  );
  const { output } = await api.openai.responses.create({ model: "gpt-4o", input, tools });
  expect(imagesIn(output)).toMatchObject([{ status: "failed", result: null }]);
});

const image = {
  type: "image_url",
  image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBORw0KGgo/) },
};
const options = { headers: { "x-tackle-tools": "generate_image" } };

describe("an image is part of a chat completion", () => {
  const messages = [{ role: "user" as const, content: input }];
  const asked = { model: "gpt-4o", messages };

  it.each([
    ["the model", [() => chatTurn({ text: "Here.", images: [`data:image/png;base64,${PNG}`] })]],
    ["our tool", WAYS[1]?.made ?? []],
  ])("if %s made it, complete and streamed", async (_, made) => {
    api.play(...made.map((turn) => turn()));
    const { choices } = await api.openai.chat.completions.create(asked, options);
    expect(choices[0]?.message).toMatchObject({ content: expect.stringMatching(/^Here/), images: [image] });
    api.play(...made.map((turn) => turn()));
    const heard: unknown[] = [];
    for await (const chunk of await api.openai.chat.completions.create({ ...asked, stream: true }, options))
      heard.push(...((chunk.choices[0]?.delta as { images?: unknown[] } | undefined)?.images ?? []));
    expect(heard).toEqual([image]);
  });

  it("and an item of a response that names our tool, beside the call", async () => {
    api.play(...(WAYS[1]?.made ?? []).map((turn) => turn()));
    const { output } = await api.openai.responses.create({ model: "gpt-4o", input }, options);
    expect(output.map(({ type }) => type)).toEqual(["mcp_call", "image_generation_call", "message"]);
    expect(isPng(imagesIn(output)[0]?.result ?? null)).toBe(true);
  });
});
