import { afterAll, beforeAll, expect, it } from "vitest";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { type AnthropicServer, CLAUDE, GPT, openAnthropicServer } from "./support/anthropic.ts";

const COMPUTER = { type: "computer_toolset_20260801" };
const hello = { role: "user", content: "Scroll down." };
const definition = { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } };
const added = { type: "tool_addition", tool: { type: "tool_definition", definition } };

let api: AnthropicServer;
beforeAll(async () => {
  api = await openAnthropicServer("off");
});
afterAll(() => api?.close());

async function post(body: object): Promise<{ status: number; text: string; warnings: string | null }> {
  const response = await fetch(`${api.server.url}/v1/messages?beta=true`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "inline-tools-2026-09-15",
    },
    body: JSON.stringify({ max_tokens: 100, ...body }),
  });
  const warnings = response.headers.get("x-tackle-warnings");
  return { status: response.status, text: await response.text(), warnings };
}

/** A call of a tool that belongs to a set. */
function scrolling() {
  const about = { toolset_name: "computer", caller: { type: "direct" } };
  const { frames, ...turn } = anthropicTurn({
    calls: [{ name: "scroll", arguments: { scroll_direction: "down" } }],
  });
  return {
    ...turn,
    frames: frames.map((frame) => {
      if (typeof frame !== "object" || !("json" in frame)) return frame;
      const json = frame.json as { type: string; content_block?: { type: string } };
      if (json.content_block?.type !== "tool_use") return frame;
      return { ...frame, json: { ...json, content_block: { ...json.content_block, ...about } } };
    }),
  };
}

it("a client of Anthropic's runs the calls of a set of tools that has no name", async () => {
  const called = {
    ...{ type: "tool_use", name: "scroll", input: { scroll_direction: "down" } },
    ...{ toolset_name: "computer", caller: { type: "direct" } },
  };
  api.claude.play(scrolling());
  const asked = { model: CLAUDE, tools: [COMPUTER], messages: [hello] };
  const whole = JSON.parse((await post(asked)).text);
  expect(whole).toMatchObject({ content: [called], stop_reason: "tool_use" });
  api.claude.play(scrolling());
  const { text } = await post({ ...asked, stream: true });
  expect(text).toContain('"toolset_name":"computer"');
  expect(text).toContain('"stop_reason":"tool_use"');
  const [call] = whole.content;
  const result = { type: "tool_result", tool_use_id: call.id, toolset_name: "computer", content: "Done." };
  const messages = [
    hello,
    { role: "assistant", content: whole.content },
    { role: "user", content: [result] },
  ];
  api.claude.play(anthropicTurn({ text: "Scrolled." }));
  expect((await post({ ...asked, messages })).status).toBe(200);
  expect(api.claude.lastBody()).toMatchObject({ tools: [COMPUTER], messages });
});

it("models of other vendors answer without such a set", async () => {
  api.gpt.play(chatTurn({ text: "I cannot scroll." }));
  const { status, warnings } = await post({ model: GPT, tools: [COMPUTER], messages: [hello] });
  expect(status).toBe(200);
  expect(warnings).toContain("computer_toolset_20260801");
});

it("tools that messages add are offered, and those that they withdraw are not", async () => {
  const asked = { tools: [{ ...definition, name: "gone" }] };
  const removed = { type: "tool_removal", tool: { type: "tool_reference", name: "gone" } };
  const messages = [hello, { role: "system", content: [added, removed] }];
  api.gpt.play(chatTurn({ calls: [{ name: "look", arguments: {} }] }));
  const { text } = await post({ model: GPT, ...asked, messages });
  expect(JSON.parse(text)).toMatchObject({ content: [{ type: "tool_use", name: "look" }] });
  expect(api.gpt.lastBody().tools).toMatchObject([{ function: { name: "look" } }]);
  expect(JSON.stringify(api.gpt.lastBody().messages)).not.toContain("tool_");
  api.claude.play(anthropicTurn({ calls: [{ name: "look", arguments: {} }] }));
  const native = await post({ model: CLAUDE, ...asked, messages });
  expect(JSON.parse(native.text)).toMatchObject({ content: [{ type: "tool_use", name: "look" }] });
  expect(api.claude.lastBody()).toMatchObject({ ...asked, messages });
});
