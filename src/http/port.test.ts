import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { openPort, type Port } from "./port.ts";

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(port = 0, server: Server = createServer((_, answer) => answer.end("here"))) {
  const opened = await openPort(server, { host: "127.0.0.1", port, isShared: false });
  closers.push(() => {
    server.closeAllConnections();
    return opened.close();
  });
  return { server, opened };
}

function visit({ address }: Port): Socket {
  const socket = connect(address.port, address.address);
  closers.push(() => socket.destroy());
  return socket;
}

const ask = "GET / HTTP/1.1\r\nhost: here\r\n\r\n";

test.runIf(process.platform === "linux")(
  "many of those who arrive together are seen in one turn of the event loop",
  async () => {
    const { server, opened } = await open();
    const crowd = Array.from({ length: 300 }, () => visit(opened));
    let seen = 0;
    server.on("connection", () => seen++);
    // The kernel connects them meanwhile.
    await Promise.all(crowd.map((socket) => once(socket, "connect")));
    let turns = 0;
    for (; seen < crowd.length && turns < 1_000; turns++) await turn();
    expect(turns).toBeLessThan(100);
  },
);

test("everybody is answered, through whichever socket they came", async () => {
  const { opened } = await open();
  const answers = Array.from({ length: 100 }, async () => {
    const socket = visit(opened);
    socket.write(ask);
    return String((await once(socket, "data"))[0]);
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*here/);
});

test("a port that another server of ours has is in use", async () => {
  const { opened } = await open();
  await expect(open(opened.address.port)).rejects.toMatchObject({ code: "EADDRINUSE", syscall: "listen" });
  const socket = visit(opened);
  socket.write(ask);
  expect(String((await once(socket, "data"))[0])).toContain("here");
});

test("where sockets cannot share a port, one of them takes everybody", async () => {
  const server = createServer((_, answer) => answer.end("here"));
  vi.spyOn(server, "listen").mockImplementationOnce(() => {
    process.nextTick(() => server.emit("error", new Error("listen ENOTSUP")));
    return server;
  });
  const { opened } = await open(0, server);
  const socket = visit(opened);
  socket.write(ask);
  expect(String((await once(socket, "data"))[0])).toContain("here");
});

test("a port that is closed takes nobody, and is left when the last connection is gone", async () => {
  const { opened } = await open();
  const present = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = visit(opened);
      socket.write(ask);
      await once(socket, "data");
      return socket;
    }),
  );
  let isLeft = false;
  const left = opened.close().then(() => (isLeft = true));
  const late = visit(opened);
  await expect(once(late, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  for (const socket of present.slice(1)) socket.destroy();
  present[0]?.write(ask);
  expect(String((await once(present[0] as Socket, "data"))[0])).toContain("here");
  expect(isLeft).toBe(false);
  present[0]?.destroy();
  await left;
  await open(opened.address.port);
});
