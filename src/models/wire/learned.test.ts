import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { textMessage } from "../../protocol/messages.ts";
import type { ToolSpec } from "../../protocol/model.ts";
import { defineProvider } from "../../protocol/provider.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import { chatTurn, jsonTurn } from "../../sim/turns.ts";
import type { Upstream } from "../../sim/upstream.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { learnedBy } from "./learned.ts";
import type { Transport } from "./transport.ts";

const tool: ToolSpec = { name: "bad", description: "A tool.", parameters: { type: "object" } };
const refusal = { error: { message: "Invalid schema", param: "tools[0].function.parameters" } };
const transports = [createTransport(), createTransport()] as const;
let upstreams: [Upstream, Upstream];

beforeAll(async () => {
  upstreams = [await startUpstream(), await startUpstream()];
});
afterAll(async () => {
  for (const part of [...upstreams, ...transports]) await part.close();
});
afterEach(() => void vi.useRealTimers());

/** Asks a model and returns how many tools each of its requests had. */
async function offer(
  refuses: boolean,
  {
    at = upstreams[0],
    key = "one",
    transport = transports[0],
  }: { at?: Upstream; key?: string; transport?: Transport } = {},
): Promise<number[]> {
  const dialect = DIALECTS["openai-chat"];
  if (!dialect) throw new Error("the dialect is missing");
  const provider = defineProvider({
    id: "test",
    label: "Testers",
    baseUrl: at.url,
    baseUrlSetting: "TEST_BASE_URL",
    dialect: dialect.id,
    models: [],
    unknownModel: {},
    quirks: {},
  });
  at.requests.length = 0;
  if (refuses) at.play(jsonTurn(refusal, 400));
  at.play(chatTurn({ text: "Hello." }));
  const model = createModel({ provider, modelInfo: { name: "learner" }, dialect, key, transport });
  const request = { messages: [textMessage("u1", "user", "Hi")], tools: [tool] };
  await model.stream(request, () => {}, AbortSignal.timeout(20_000));
  return at.requests.map(({ body }) => (body as { tools?: unknown[] }).tools?.length ?? 0);
}

it("leaves a refused tool out for the same key at the same address in the same app, and for nobody else", async () => {
  expect(await offer(true)).toEqual([1, 0]);
  expect(await offer(false)).toEqual([0]);
  expect(await offer(false, { key: "other" })).toEqual([1]);
  expect(await offer(false, { at: upstreams[1] })).toEqual([1]);
  expect(await offer(false, { transport: transports[1] })).toEqual([1]);
});

it("offers a refused tool again after an hour", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const learned = learnedBy({}, "test/m", "http://vendor");
  learned.refuse(tool, "no");
  vi.advanceTimersByTime(59 * 60_000);
  expect(learned.whyRefused(tool)).toBe("no");
  vi.advanceTimersByTime(2 * 60_000);
  expect(learned.whyRefused(tool)).toBeUndefined();
});

it("keeps how many tools a vendor takes, and what requests must do without, apart by key", () => {
  const asker = {};
  const one = learnedBy(asker, "test/m", "http://vendor", "one");
  one.limitTools(64);
  one.add("no-seed");
  const again = learnedBy(asker, "test/m", "http://vendor", "one");
  expect([again.mostTools(), again.list()]).toEqual([64, ["no-seed"]]);
  const other = learnedBy(asker, "test/m", "http://vendor", "other");
  expect([other.mostTools(), other.list()]).toEqual([undefined, []]);
});

it("forgets the oldest of more than a thousand keys", () => {
  const asker = {};
  for (let key = 0; key <= 1_000; key++) learnedBy(asker, "test/m", "http://vendor", `${key}`).add("no-seed");
  expect(learnedBy(asker, "test/m", "http://vendor", "0").list()).toEqual([]);
  expect(learnedBy(asker, "test/m", "http://vendor", "1").list()).toEqual(["no-seed"]);
});
