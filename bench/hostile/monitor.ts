import { createServer } from "node:net";
import { isMainThread } from "node:worker_threads";

// Loaded into the measured process (`node --import`). A connection to the socket named in TACKLE_BENCH_SOCKET asks for the
// longest turn of the event loop since the last question.
//
// A turn is measured by the CPU time of the main thread, so that other processes on the machine do not count. An immediate
// that schedules itself again sees every turn: the time between two of them is what one turn of the loop has cost,
// including garbage collection on this thread.

const path = process.env.TACKLE_BENCH_SOCKET;

if (isMainThread && path !== undefined) {
  let longest = 0;
  let longestWall = 0;
  let watching = false;
  let before = process.threadCpuUsage();
  let beganAt = performance.now();

  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    longestWall = Math.max(longestWall, performance.now() - beganAt);
    beganAt = performance.now();
    if (watching) setImmediate(look);
  };

  const server = createServer((socket) => {
    socket.setEncoding("utf8");
    socket.on("data", (command: string) => {
      if (command.startsWith("stop")) {
        watching = false;
        socket.write(`${longest} ${longestWall}\n`);
        return;
      }
      longest = 0;
      longestWall = 0;
      beganAt = performance.now();
      before = process.threadCpuUsage();
      watching = true;
      setImmediate(look);
      socket.write("watching\n");
    });
    socket.on("error", () => {
      watching = false;
    });
  });
  server.listen(path);
  server.unref();
}
