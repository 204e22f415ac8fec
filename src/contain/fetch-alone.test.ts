import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("fetches in a process that loads only the parts of the library that are needed", async () => {
  const server = createServer((_request, response) => response.end("hello"));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const code = `
    import { containedFetch } from ${JSON.stringify(new URL("./fetch.ts", import.meta.url).href)};
    const { body } = await containedFetch("http://${host}/", { allow: ["${host}"] });
    console.log(Buffer.from(body).toString());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
  expect(stdout.trim()).toBe("hello");
  server.close();
});
