import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { petsDocument } from "../src/tools/openapi/testing/pets.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { eventsOf, postChat, readFrames } from "./support/sse.ts";

const KEY = "sk-pets-0123456789";
const folder = temporaryFolder();
let upstream: Upstream;
let api: Upstream;
let server: ServerProcess;

beforeAll(async () => {
  const dataDir = `${folder.path}/data`;
  mkdirSync(dataDir);
  api = await startUpstream({
    respond: ({ headers }) => ({
      contentType: "application/json",
      frames: [`{"key":"${headers["x-pets-key"]}"}`],
    }),
  });
  upstream = await startUpstream();
  writeFileSync(`${dataDir}/pets.json`, JSON.stringify(petsDocument(api.url)));
  const entry = { name: "pets", openapi: "pets.json", auth: { env: "PETS_KEY" } };
  writeFileSync(`${dataDir}/tools.json`, JSON.stringify([entry]));
  server = await startServer(dataDir, {
    ...modelAt(upstream.url),
    PETS_KEY: KEY,
    TACKLE_LOG: "debug",
    TACKLE_APPROVAL_MS: "200",
  });
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  await api.close();
  folder.remove();
});

async function chat(name: string, args: object) {
  upstream.play(chatTurn({ calls: [{ name, arguments: args }] }), chatTurn({ text: "Done." }));
  const events = eventsOf(await readFrames(await postChat(server.url, { message: "Go on." })));
  return { events, state: JSON.stringify(reduceAll(events)) };
}

describe("a chat whose model calls an operation of an API", () => {
  it("reads without an approval, and uses our key without exposing it", async () => {
    const { events, state } = await chat("pets.listPets", { limit: 3 });
    expect(events.some(({ type }) => type === "tool_approval_required")).toBe(false);
    expect(api.requests.at(-1)).toMatchObject({ path: "/v1/pets?limit=3", headers: { "x-pets-key": KEY } });
    expect(state).toContain('{\\"key\\":\\"[key]\\"}');
    expect(state + server.output() + JSON.stringify(upstream.requests)).not.toContain(KEY);
  });

  it("asks before it changes anything, and shows the request", async () => {
    const before = api.requests.length;
    const { events } = await chat("pets.removePet", { id: "7" });
    const asked = events.find(({ type }) => type === "tool_approval_required");
    expect(asked).toMatchObject({ toolName: "pets.removePet", preview: `DELETE ${api.url}/v1/pets/7` });
    expect(api.requests).toHaveLength(before);
  });
});
