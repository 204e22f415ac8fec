import { connect, type Socket } from "node:net";

/** Posts JSON, or a given text as it is. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Sends raw bytes and returns the raw HTTP response, for requests that no client library would send. */
export function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      answer += text;
    });
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });
}

/** A connection that has sent a chat request and reads nothing until it is told to. */
export function openChat(port: number, body: object): Promise<Socket> {
  const json = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.pause();
      socket.write(
        `POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
      );
      resolve(socket);
    });
    socket.on("error", reject);
  });
}

/** Waits until a condition holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("it never became true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
