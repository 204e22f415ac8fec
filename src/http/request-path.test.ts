import { afterAll, beforeAll, expect, test } from "vitest";
import { modelInPath, requestPath } from "./address.ts";
import { startTestApp, type TestApp } from "./testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.server.close());

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test.each([
  ...["/v1/models", "/v1/models/", "//v1/models", "/v1//models", "/v1//models//?a=/b/"],
  // Clients of Groq, Azure, DeepInfra and Gemini.
  ...["/v1/openai/models", "/v1beta/openai/models"],
  ...["/openai/v1/models", "/openai/models?api-version=2024-10-21"],
])("%s leads to the models", async (path) => {
  expect(await ask(path)).toMatchObject({ status: 200, body: { object: "list" } });
});

test.each([
  "/openai/deployments/a%2Fb/chat/completions",
  "/openai/deployments/a/b/chat/completions?api-version=1",
])("%s names the model as Azure’s clients do", (path) => {
  const request = new Request(`http://server${path}`);
  expect(requestPath(request)).toBe("/v1/chat/completions");
  expect(modelInPath(request)).toBe("a/b");
});

test.each([
  ["/v1/v1/chat/completions", "/v1/chat/completions"],
  ["/chat/completions", "/v1/chat/completions"],
  ["/api/v1/responses/", "/v1/responses"],
])("%s is answered in OpenAI's format with the address that is meant, %s", async (path, meant) => {
  const { status, body } = await ask(path);
  expect(status).toBe(404);
  expect(body.error).toMatchObject({
    message: expect.stringContaining(`Did you mean ${meant}? Check the base`),
  });
});

test.each(["/v1/v1/messages", "/messages", "/anthropic/v1/messages"])(
  "%s is answered in Anthropic's format with the address that is meant",
  async (path) => {
    const { status, body } = await ask(path, { "anthropic-version": "2023-06-01" });
    expect(status).toBe(404);
    expect(body).toMatchObject({
      type: "error",
      error: { type: "not_found_error", message: expect.stringContaining("Did you mean /v1/messages?") },
    });
  },
);

test("a client of Ollama whose address ends in /v1 learns which one is meant", async () => {
  const { body } = await ask("/v1/api/tags");
  expect(body.error).toContain("Did you mean /api/tags?");
});

test("other addresses get no advice", async () => {
  expect(await ask("/nowhere")).toMatchObject({
    status: 404,
    body: { error: "There is nothing at this address." },
  });
});
