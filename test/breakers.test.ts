import { afterAll, afterEach, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, call, signUp, type TestAccount } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const folder = temporaryFolder();
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => folder.remove());

let count = 0;
/** A server with accounts whose vendor answers 500 to messages and models that are `broken`, and streams the rest. */
async function start(env: Record<string, string> = {}) {
  const upstream = await startUpstream({
    respond: ({ body }) => {
      const { model, messages } = body as { model: string; messages: { content: unknown }[] };
      const asked = JSON.stringify(messages.at(-1)?.content);
      if (model.includes("broken") || asked.includes("break"))
        return errorTurn(500, { message: "Engine 7 is down" });
      if (asked.includes("slowly"))
        return chatTurn({ text: "one two three ".repeat(40), chunkSize: "word", gapMs: 100 });
      return chatTurn({ text: "Fine." });
    },
  });
  closers.push(() => upstream.close());
  count += 1;
  const settings = { ...modelAt(upstream.url), TACKLE_AUTH: "guest", TACKLE_MAX_RETRIES: "0", ...env };
  const server = await startServer(`${folder.path}/${count}`, settings);
  closers.push(() => server.stop());
  const people = await Promise.all(["ada", "bob", "cyd"].map((name) => signUp(server, name)));
  const [ada, bob, cyd] = people as [TestAccount, TestAccount, TestAccount];
  return { upstream, server, ada, bob, cyd };
}

const say = (server: ServerProcess, { token }: TestAccount, message: string, more: object = {}) =>
  chat(server.url, { message, ...more }, { headers: bearer(token) });

/** The code of the error that a message ends with, or how it finished. */
async function outcome(...said: Parameters<typeof say>): Promise<string> {
  const events = await say(...said);
  const error = events.find((event) => event.type === "error");
  return error?.code ?? firstEvent(events, "done").finishReason;
}

const asked = ({ requests }: Upstream) => requests.filter(({ method }) => method === "POST").length;

describe("a vendor that answers 500", () => {
  it("is asked as often as announced, and the person reads the vendor's words", async () => {
    const { upstream, server, ada } = await start({ TACKLE_MAX_RETRIES: "3" });
    const events = await say(server, ada, "break");
    const retries = events.filter((event) => event.type === "retry_status");
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(asked(upstream)).toBe(4);
    expect(firstEvent(events, "error")).toMatchObject({
      code: "UPSTREAM_ERROR",
      upstreamStatus: 500,
      error: expect.stringContaining("Engine 7 is down"),
    });
    expect(await outcome(server, ada, "Hello")).toBe("stop");
  });

  it("is not paused by one of several people, but by two", async () => {
    const { upstream, server, ada, bob, cyd } = await start();
    expect(await outcome(server, bob, "Hello")).toBe("stop");
    for (let turn = 0; turn < 5; turn++) expect(await outcome(server, ada, "break")).toBe("UPSTREAM_ERROR");
    expect(await outcome(server, bob, "Hello")).toBe("stop");
    for (const person of [ada, ada, bob])
      expect(await outcome(server, person, "break")).toBe("UPSTREAM_ERROR");
    const before = asked(upstream);
    const refused = await postChat(
      server.url,
      { message: "Hello", stream: false },
      { headers: bearer(cyd.token) },
    );
    const { code, error } = (await refused.json()) as { code: string; error: string };
    expect([refused.status, code]).toEqual([503, "BREAKER_OPEN"]);
    expect(error).toBe(
      `gpt-4o of OpenAI keeps failing, so it is paused. Try again in ${refused.headers.get("retry-after")} seconds.`,
    );
    expect(asked(upstream)).toBe(before);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('tackle_breaker_open{name="model:openai/gpt-4o:chat"} 1');
  });

  it("is not paused while an answer of it flows", async () => {
    const { server, ada, bob, cyd } = await start();
    const response = await postChat(server.url, { message: "slowly" }, { headers: bearer(cyd.token) });
    const flowing = Promise.withResolvers<void>();
    const whole = readFrames(response, ({ data }) => {
      if (data.includes("content_delta")) flowing.resolve();
      return true;
    });
    await flowing.promise;
    for (const person of [ada, bob, ada, bob])
      expect(await outcome(server, person, "break")).toBe("UPSTREAM_ERROR");
    expect(await outcome(server, bob, "Hello")).toBe("stop");
    expect(firstEvent(eventsOf(await whole), "done").finishReason).toBe("stop");
  });

  it("does not stop other models, and a failing rewrite model does not stop the chat", async () => {
    const { upstream, server, ada, bob } = await start({
      TACKLE_REWRITE_MODEL: "openai/gpt-4o",
      DUCKDUCKGO_BASE_URL: "http://127.0.0.1:9",
    });
    for (const person of [ada, bob, ada])
      expect(await outcome(server, person, "Hello", { model: "openai/broken" })).toBe("UPSTREAM_ERROR");
    expect(await outcome(server, ada, "Hello", { model: "openai/broken" })).toBe("BREAKER_OPEN");
    for (const { token } of [ada, bob, ada]) {
      const query = "Can you please tell me why lamps break so often?";
      await call(server, "POST", "/tools/browser.search", bearer(token), { query });
    }
    const failed = asked(upstream);
    expect(await outcome(server, bob, "Hello")).toBe("stop");
    expect(asked(upstream)).toBe(failed + 1);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('tackle_breaker_open{name="model:openai/gpt-4o:rewrite"} 1');
  });

  it("is paused for nobody else by a key that a person brings along", async () => {
    const { upstream, server, ada, bob } = await start();
    const own = { keys: { openai: "sk-own-key-of-ada-123" } };
    await ask(server, "PUT", "/me/settings", bearer(ada.token), own);
    upstream.respond(({ headers }) =>
      String(headers.authorization).includes("of-ada") ? errorTurn(500) : chatTurn({ text: "Fine." }),
    );
    for (let turn = 0; turn < 3; turn++) expect(await outcome(server, ada, "Hello")).toBe("UPSTREAM_ERROR");
    expect(await outcome(server, ada, "Hello")).toBe("BREAKER_OPEN");
    expect(await outcome(server, bob, "Hello")).toBe("stop");
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).not.toContain("key-");
  });
});

it("artifacts that do not work do not pause the tool", async () => {
  const { server, ada, bob } = await start();
  for (const { token } of [ada, bob, ada, bob]) {
    const broken = { type: "mermaid", code: "flowchart TD\n A[[ -->>> ???" };
    const response = await call(server, "POST", "/tools/generate_artifact", bearer(token), broken);
    expect(await response.json()).toMatchObject({ code: "TOOL_FAILED" });
  }
});
