import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPresence, type Presence } from "./presence.ts";

let presence: Presence;
let url: string;
let close: () => Promise<void>;
/** Responses in progress, by request path. */
const answers = new Map<string, ServerResponse>();

beforeEach(async () => {
  presence = createPresence();
  const server = createServer((request, response) => {
    answers.set(request.url ?? "", response);
    presence.enter(request.headers["x-user"]?.toString() ?? "", response);
    response.write("begun");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
});
afterEach(() => close());

async function open(path: string, user: string): Promise<{ rest: Promise<string> }> {
  const response = await fetch(url + path, { headers: { "x-user": user } });
  return { rest: response.text().catch(() => "cut") };
}

test("all responses to a user are cut, and no others", async () => {
  const first = await open("/1", "ada");
  const second = await open("/2", "ada");
  const bobs = await open("/3", "bob");
  presence.end("ada");
  expect(await Promise.all([first.rest, second.rest])).toEqual(["cut", "cut"]);
  answers.get("/3")?.end(" and done");
  expect(await bobs.rest).toBe("begun and done");
});

test("an excluded response is not cut", async () => {
  const last = await open("/1", "ada");
  const other = await open("/2", "ada");
  const answer = answers.get("/1");
  if (answer) presence.leave(answer);
  presence.end("ada");
  expect(await other.rest).toBe("cut");
  answer?.end(", goodbye");
  expect(await last.rest).toBe("begun, goodbye");
});

test("a finished response is forgotten", async () => {
  const done = await open("/1", "ada");
  answers.get("/1")?.end();
  expect(await done.rest).toBe("begun");
  presence.end("ada");
  const next = await open("/2", "ada");
  answers.get("/2")?.end(" again");
  expect(await next.rest).toBe("begun again");
});
