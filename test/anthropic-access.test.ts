import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, bearer, PASSWORD, signUp } from "./support/accounts.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const MESSAGE = { model: "gpt-4o", max_tokens: 100, messages: [{ role: "user" as const, content: "Hi" }] };

const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;
let key: string;
let suspended: string;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.respond(() => chatTurn({ text: "Hello." }));
  server = await startServer(folder.path, { ...modelAt(upstream.url), TACKLE_AUTH: "required" });
  const admin = bearer((await signUp(server, "admin")).token);
  const join = async (name: string) => {
    const body = { email: `${name}@example.com`, password: PASSWORD };
    const { id } = await ask<{ id: string }>(server, "POST", "/admin/users", admin, body);
    const { token } = await ask<{ token: string }>(server, "POST", "/auth/sign-in", {}, body);
    const made = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(token), {});
    return { id, key: made.key };
  };
  ({ key } = await join("ada"));
  const eve = await join("eve");
  suspended = eve.key;
  await ask(server, "POST", `/admin/users/${eve.id}/suspend`, admin, { suspended: true });
});
afterAll(async () => {
  await server?.stop();
  await upstream?.close();
  folder.remove();
});

const client = (credentials: { apiKey?: string | null; authToken?: string }) =>
  new Anthropic({ baseURL: server.url, maxRetries: 0, apiKey: null, ...credentials });

describe("on a server that requires accounts, Anthropic's client", () => {
  it("gets in with a key of an account, in either header", async () => {
    for (const credentials of [{ apiKey: key }, { authToken: key }]) {
      const sdk = client(credentials);
      expect((await sdk.messages.create(MESSAGE)).content).toEqual([{ type: "text", text: "Hello." }]);
      const { max_tokens: _, ...counted } = MESSAGE;
      expect((await sdk.messages.countTokens(counted)).input_tokens).toBeGreaterThan(0);
      expect((await sdk.models.list()).data.length).toBeGreaterThan(0);
    }
  });

  it("is told in Anthropic's words that a key is wrong, or that its account is suspended", async () => {
    const refused: [string, number, string, unknown][] = [
      ["tk_wrong", 401, "authentication_error", Anthropic.AuthenticationError],
      [suspended, 403, "permission_error", Anthropic.PermissionDeniedError],
    ];
    for (const [apiKey, status, type, kind] of refused) {
      const sdk = client({ apiKey });
      const { max_tokens: _, ...counted } = MESSAGE;
      for (const act of [
        () => sdk.messages.create(MESSAGE),
        () => sdk.messages.create({ ...MESSAGE, stream: true }),
        () => sdk.messages.countTokens(counted),
        () => sdk.models.list(),
      ]) {
        const thrown = await Promise.resolve(act()).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(thrown).toBeInstanceOf(kind);
        expect(thrown).toMatchObject({
          status,
          requestID: expect.any(String),
          error: {
            type: "error",
            error: { type, message: expect.any(String) },
            request_id: expect.any(String),
          },
        });
      }
    }
  });

  it("is told so without any credentials too", async () => {
    for (const path of ["/v1/messages", "/v1/messages/count_tokens"]) {
      const response = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
        body: JSON.stringify(MESSAGE),
      });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
      expect(response.headers.get("request-id")).toBeTruthy();
    }
  });
});
