import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { temporaryFolder } from "./support/server.ts";
import { chat } from "./support/sse.ts";

const tools = temporaryFolder();
let api: OpenAiServer;

const line = (number: number) => `entry ${number}: <b>&amp;</b> 🙂`;
const LONG = Array.from({ length: 20_000 }, (_, index) => line(index + 1)).join("\n");

beforeAll(async () => {
  writeFileSync(
    `${tools.path}/dump.mjs`,
    `export default {
      name: "dump", description: "Returns a long list of entries.", effect: "read",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      run: () => Array.from({ length: 20000 }, (_, index) => \`entry \${index + 1}: <b>&amp;</b> 🙂\`).join("\\n"),
    };`,
  );
  api = await openServer({ TACKLE_TOOLS_DIR: tools.path });
});
afterAll(async () => {
  await api?.close();
  tools.remove();
});

const call = (name: string, args: object = {}, id = `call_${name}`) =>
  chatTurn({ calls: [{ id, name, arguments: args }] });

it("a long result is shortened for the model, which reads on in it, also in the next turn", async () => {
  api.play(
    call("dump", {}, "call_long"),
    call("read_result", { tool_call_id: "call_long", offset: 10_000, limit: 2 }, "call_read"),
    chatTurn({ text: "Read." }),
  );
  const events = await chat(api.server.url, { message: "dump it" });
  const results = events.filter((event) => event.type === "tool_result");
  const [[, shown = ""] = []] = resultsIn(api.lastMessages());
  expect(shown.length).toBeLessThan(31_000);
  expect(shown).toContain(`${line(1)}\n${line(2)}\n`);
  expect(shown).toContain(`${line(19_999)}\n${line(20_000)}`);
  const [, bytes, lines, offset] =
    /\n\[… (\d+) bytes, (\d+) lines omitted; read_result \{toolCallId: call_long, offset: (\d+)\} has them …\]\n/.exec(
      shown,
    ) ?? [];
  expect(shown).toContain(`${line(Number(offset) - 1)}\n[…`);
  expect(shown).toContain(`…]\n${line(Number(offset) + Number(lines))}\n`);
  expect(results[0]).toMatchObject({ omitted: { bytes: Number(bytes), lines: Number(lines) } });
  const read = resultsIn(api.lastMessages())[1]?.[1];
  expect(read).toBe(
    `${line(10_000)}\n${line(10_001)}\n[Lines 10000 to 10001 of 20000 of the result of dump. There is more: go on with offset 10002.]`,
  );

  const { sessionId, runId } = events[0]?.type === "session" ? events[0] : expect.fail();
  const whole = await fetch(`${api.server.url}/runs/${runId}/results/call_long`);
  expect(whole.headers.get("content-type")).toMatch(/^text\/plain; ?charset=utf-8$/i);
  expect(await whole.text()).toBe(LONG);
  const missing = await fetch(`${api.server.url}/runs/${runId}/results/call_none`);
  expect(missing.status).toBe(404);

  api.play(
    call("read_result", { toolCallId: "call_long", offset: -1 }, "call_again"),
    chatTurn({ text: "Read again." }),
  );
  await chat(api.server.url, { message: "and the end?", sessionId });
  expect(resultsIn(api.lastMessages()).at(-1)?.[1]).toBe(
    `${line(20_000)}\n[Lines 20000 to 20000 of 20000 of the result of dump. This is the end.]`,
  );

  const exported = await (await fetch(`${api.server.url}/sessions/${sessionId}/export?format=json`)).json();
  expect(exported.messages[1].toolCalls[0].output).toBe(LONG);

  api.play(call("read_result", { toolCallId: "call_long" }, "call_other"), chatTurn({ text: "Not mine." }));
  await chat(api.server.url, { message: "read what another session has" });
  expect(resultsIn(api.lastMessages()).at(-1)?.[1]).toContain("no result of a call with this id");

  await fetch(`${api.server.url}/sessions/${sessionId}`, { method: "DELETE" });
  expect((await fetch(`${api.server.url}/runs/${runId}/results/call_long`)).status).toBe(404);
});

it("a client that keeps the history itself is not offered it, and gets more at once", async () => {
  api.play(call("dump"), chatTurn({ text: "Done." }));
  const messages = [{ role: "user", content: "dump it" }];
  await chat(api.server.url, { messages });
  const request = api.lastRequest();
  expect(JSON.stringify(request.tools)).not.toContain("read_result");
  const [[, shown = ""] = []] = resultsIn(api.lastMessages());
  expect(shown.length).toBeGreaterThan(99_000);
  expect(shown).toMatch(/\n\[… \d+ bytes, \d+ lines omitted …\]\n/);
});
