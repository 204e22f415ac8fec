import { deflateSync } from "node:zlib";
import { conversation, repeated, type Shape, TEXTS } from "./shapes.ts";

/** How many messages a guest may send in a window. */
const CHATS = 20;
/** How many conversations a guest may keep. */
const SESSIONS = 100;
const AT_ONCE = 20;
const LONG = 99_000;

type Json = Record<string, unknown>;

/**
 * Requests about what a guest has stored: a conversation as long as a guest can make it, as many as a guest can keep, long
 * files. What is stored is made here, by guests of its own.
 */
export async function stateShapes(url: string): Promise<Shape[]> {
  const guest = await newGuest(url);
  const sessionId = await longConversation(url, guest);
  const { runId } = await ask(url, guest, "/chat", { message: "hello", stream: false });
  const many = await newGuest(url);
  for (let made = 0; made < SESSIONS; made += AT_ONCE)
    await ask(url, many, "/sessions/import", Array(AT_ONCE).fill(conversation(16)));
  const get = (name: string, path: string, headers = guest): Shape => ({
    name: `${path.replace(sessionId, "{id}")} ${name}`,
    method: "GET",
    path,
    headers,
  });
  const post = (name: string, path: string, body: Json, headers = guest): Shape => ({
    name: `${path.replace(sessionId, "{id}")} ${name}`,
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const long = "a long conversation";
  const names = Object.keys(TEXTS).slice(0, 4);
  return [
    get(long, `/sessions/${sessionId}`),
    get(long, `/sessions/${sessionId}/messages`),
    get(long, `/sessions/${sessionId}/messages?limit=200`),
    get(long, `/sessions/${sessionId}/export?format=md`),
    get(long, `/sessions/${sessionId}/export?format=json`),
    get(long, `/chat/ui/${sessionId}/stream`),
    get("an event number", `/runs/${runId}/events?after=999999999999999`),
    get("from the start", `/runs/${runId}/events`),
    post(long, "/chat", { message: "and now?", sessionId, stream: false }),
    post(`${long}, another long message`, "/chat", {
      message: repeated(TEXTS.prose ?? "", LONG),
      sessionId,
      stream: false,
    }),
    post(long, `/sessions/${sessionId}/compact`, {}),
    post(long, `/sessions/${sessionId}/rollback`, {}),
    get("100 conversations", "/sessions?limit=200", many),
    get("a search of words", `/sessions?query=${repeated("hello ", 1_000)}`, many),
    get("a search of wildcards", `/sessions?query=${repeated("%25_*", 5_000)}`, many),
    get("a search in FTS syntax", `/sessions?query=${encodeURIComponent('a* OR "b NEAR(c ^d) -')}`, many),
    ...names.map((name) => get(`a search of ${name}`, `/sessions?query=${searched(TEXTS[name])}`, many)),
    ...(await attachedShapes(url)),
    ...(await artifactShapes(url, guest)),
    {
      ...post("adopting 100 conversations", "/auth/sign-up", credentials(), many),
      isOnce: true,
    },
    {
      name: `/sessions/{id} deletes ${long}`,
      method: "DELETE",
      path: `/sessions/${sessionId}`,
      headers: guest,
      isOnce: true,
    },
  ];
}

function searched(piece = ""): string {
  return encodeURIComponent(repeated(piece, 1_000).toWellFormed());
}

function credentials(): Json {
  return { email: `x${Date.now()}@example.com`, password: "p".repeat(128), name: "x" };
}

/** Messages with files that are hard to read. */
async function attachedShapes(url: string): Promise<Shape[]> {
  const shapes: Shape[] = [];
  for (const [name, type, body, count = 1] of attachedFiles()) {
    const guest = await newGuest(url);
    const headers = { "content-type": type, ...guest };
    const attachments: { fileId: string }[] = [];
    for (let file = 0; file < count; file++) {
      const response = await fetch(`${url}/files`, { method: "POST", headers, body: new Uint8Array(body) });
      if (!response.ok) throw new Error(`${name} could not be uploaded: ${await response.text()}`);
      attachments.push({ fileId: ((await response.json()) as { fileId: string }).fileId });
    }
    shapes.push({
      name: `/chat with ${name}`,
      method: "POST",
      path: "/chat",
      headers: { "content-type": "application/json", ...guest },
      body: JSON.stringify({ message: "what is this?", attachments, stream: false }),
    });
  }
  return shapes;
}

/** An artifact with two versions that have no line in common. */
async function artifactShapes(url: string, guest: Record<string, string>): Promise<Shape[]> {
  const lines = (name: string) =>
    Array.from({ length: 60_000 }, (_, at) => `${name}${at}`)
      .join("\n")
      .slice(0, 390_000);
  const made = await ask<{ data: { artifactId?: string; id?: string } }>(
    url,
    guest,
    "/tools/generate_artifact",
    {
      type: "code",
      title: "t",
      code: lines("a"),
    },
  );
  const id = made.data.artifactId ?? made.data.id;
  await ask(url, guest, `/artifacts/${id}/versions`, { code: lines("b") });
  const paths = ["", "/versions", "/diff?from=1&to=2", "/preview", "/compiled"];
  return paths.map((path) => ({
    name: `/artifacts/{id}${path} 60,000 lines`,
    method: "GET",
    path: `/artifacts/${id}${path}`,
    headers: guest,
  }));
}

function attachedFiles(): [name: string, type: string, body: Buffer, count?: number][] {
  const png = Buffer.from("89504e470d0a1a0a0000000d4948445200007fff00007fff0806000000", "hex");
  return [
    ["20 MB of text", "text/plain", Buffer.from(repeated(TEXTS.prose ?? "", 20_000_000))],
    ["20 MB of new lines", "text/plain", Buffer.alloc(20_000_000, "\n")],
    ["a CSV of commas", "text/csv", Buffer.alloc(2_000_000, ",")],
    ["an SVG of groups", "image/svg+xml", Buffer.from(`<svg>${"<g>".repeat(600_000)}`)],
    ["a PNG of a billion pixels", "image/png", Buffer.concat([png, Buffer.alloc(8_000_000)])],
    ["eight images of 2.4 MB", "image/png", Buffer.concat([png, Buffer.alloc(2_400_000, "x")]), 8],
    [
      "a JPEG of zeros",
      "image/jpeg",
      Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(20_000_000)]),
    ],
    [
      "a PDF of objects",
      "application/pdf",
      Buffer.from(`%PDF-1.7\n${repeated("1 0 obj<</Kids[1 0 R]>>endobj\n", 4_000_000)}`),
    ],
    ["a PDF that inflates", "application/pdf", inflatingPdf()],
  ];
}

/** A PDF of some kilobytes with a page of 100 MB. */
function inflatingPdf(): Buffer {
  const content = deflateSync(Buffer.alloc(100_000_000, "(a) Tj "));
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>",
  ].map((body, at) => `${at + 1} 0 obj\n${body}\nendobj\n`);
  return Buffer.concat([
    Buffer.from(
      `%PDF-1.7\n${objects.join("")}4 0 obj\n<</Length ${content.length}/Filter/FlateDecode>>\nstream\n`,
    ),
    content,
    Buffer.from("\nendstream\nendobj\ntrailer<</Root 1 0 R/Size 5>>\n%%EOF"),
  ]);
}

async function newGuest(url: string): Promise<Record<string, string>> {
  const token = (await fetch(`${url}/sessions`)).headers.get("x-tackle-guest");
  return { cookie: `tackle_guest=${token}` };
}

async function longConversation(url: string, guest: Record<string, string>): Promise<string> {
  const { sessions } = await ask<{ sessions: { id: string }[] }>(
    url,
    guest,
    "/sessions/import",
    conversation(2, repeated(TEXTS.prose ?? "", 250_000)),
  );
  const sessionId = sessions[0]?.id ?? "";
  for (let chat = 0; chat < CHATS; chat++)
    await ask(url, guest, "/chat", { message: repeated(TEXTS.prose ?? "", LONG), sessionId, stream: false });
  return sessionId;
}

async function ask<Answer = Json>(
  url: string,
  guest: Record<string, string>,
  path: string,
  body: unknown,
): Promise<Answer> {
  const headers = { "content-type": "application/json", ...guest };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
