import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { startUpstream } from "../../src/sim/testing/upstream.ts";
import { chatTurn, type ScriptedCall } from "../../src/sim/turns.ts";
import type { RecordedRequest, Upstream } from "../../src/sim/upstream.ts";
import { ask, type Credentials, call } from "./accounts.ts";
import type { ServerProcess } from "./server.ts";
import { eventsOf, firstEvent, postChat, readFrames } from "./sse.ts";

/** Words that occur nowhere else, by the door through which they came in. */
export class Words {
  readonly #words: Map<string, string>;

  constructor(given: readonly string[] = []) {
    this.#words = new Map(given.map((word) => [word, word]));
  }

  /** Forgets all words. */
  startAnew(): void {
    this.#words.clear();
  }

  /** Returns the word of a door. */
  of(door: string): string {
    const known = this.#words.get(door) ?? `zq${door}${randomBytes(6).toString("hex")}`;
    this.#words.set(door, known);
    return known;
  }

  /** Returns the doors whose words are in these bytes. */
  foundIn(bytes: Buffer | string): string[] {
    return [...this.#words].filter(([, word]) => bytes.includes(word)).map(([door]) => door);
  }

  get doors(): string[] {
    return [...this.#words.keys()];
  }
}

/** A model that makes the call that the newest message of the person asks for, and otherwise answers. */
export function startObedientModel(words: Words): Promise<Upstream> {
  return startUpstream({ respond: (request) => chatTurn(answerTo(request, words)) });
}

function answerTo({ body }: RecordedRequest, words: Words) {
  const { messages = [], stream } = body as {
    messages?: { role: string; content: unknown }[];
    stream?: boolean;
  };
  const whole = stream !== true;
  const system = JSON.stringify(messages.filter(({ role }) => role === "system"));
  if (system.includes("Write a title")) return { whole, text: `Title ${words.of("writtentitle")}` };
  const last = messages.at(-1);
  const text = JSON.stringify(last?.content ?? "");
  if (text.includes("Summarize the earlier part")) return { whole, text: `Summary ${words.of("summary")}` };
  const call = /CALL (\w+) ([A-Za-z0-9+/=]+)/.exec(text);
  if (last?.role === "user" && call) {
    const calls: ScriptedCall[] = [
      { name: call[1] ?? "", arguments: JSON.parse(Buffer.from(call[2] ?? "", "base64").toString()) },
    ];
    return { whole, calls, reasoning: words.of("reasoning") };
  }
  return { whole, text: `Answer ${words.of("answer")}`, chunkSize: 8 };
}

/** A message that makes the model call a tool. */
function callMessage(name: string, args: object): string {
  return `CALL ${name} ${Buffer.from(JSON.stringify(args)).toString("base64")}`;
}

/** A tool of the person's own that returns long text with a word, or fails with it. */
export function writeOwnTools(folder: string, words: Words): void {
  mkdirSync(folder, { recursive: true });
  const long = `"${words.of("toolresult")} " + "much text ".repeat(20000) + "${words.of("longresult")}"`;
  const tool = (name: string, run: string) =>
    writeFileSync(
      join(folder, `${name}.mjs`),
      `export default { name: "${name}", description: "Reads.", effect: "read", parameters: { type: "object", properties: { well: { type: "boolean" } } }, trust: "trusted", run({ well }) { ${run} } };`,
    );
  tool("long_text", `return ${long};`);
  tool("fails", `if (!well) throw new Error("${words.of("toolerror")}"); return "";`);
}

/** Sends a message and answers what comes up until the run is over. Returns the ids. */
async function turn(
  server: ServerProcess,
  headers: Credentials,
  body: Record<string, unknown>,
  onQuestion?: (runId: string, toolCallId: string) => Promise<void>,
): Promise<{ sessionId: string; runId: string; messageId: string }> {
  const response = await postChat(server.url, body, { headers });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  let runId = "";
  const frames = await readFrames(response, ({ data }) => {
    if (data === "[DONE]") return true;
    const event = JSON.parse(data) as { type: string; runId?: string; toolCallId?: string };
    if (event.type === "session") runId = event.runId ?? "";
    if (event.type === "question_required" || event.type === "tool_approval_required")
      void onQuestion?.(runId, event.toolCallId ?? "");
    return true;
  });
  const events = eventsOf(frames);
  expect(events.at(-1)).toMatchObject({ type: "done" });
  const { sessionId, messageId } = firstEvent(events, "session");
  return { sessionId, runId, messageId };
}

/** Returns a PNG with a word in it. */
function picture(word: string): Buffer {
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from(word.repeat(20))]);
}

async function upload(
  server: ServerProcess,
  headers: Credentials,
  name: string,
  text: string,
  path = "/files",
): Promise<string> {
  const response = await fetch(`${server.url}${path}?name=${name}.txt`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/plain" },
    body: text,
  });
  const { fileId } = (await response.json()) as { fileId: string };
  expect(fileId).toBeDefined();
  return fileId;
}

/** Plants a word through every door of a conversation. Returns the sessions that hold them. */
export async function plantEverywhere(
  server: ServerProcess,
  headers: Credentials,
  words: Words,
  workspace: string,
): Promise<string[]> {
  const say = (
    body: Record<string, unknown>,
    onQuestion?: (runId: string, toolCallId: string) => Promise<void>,
  ) => turn(server, headers, body, onQuestion);
  const decide = (body: object) => (runId: string, toolCallId: string) =>
    ask(server, "POST", `/runs/${runId}/approvals/${toolCallId}`, headers, body).then(() => undefined);
  const fileId = await upload(
    server,
    headers,
    words.of("filename"),
    `Notes: ${words.of("attachment")} `.repeat(50),
  );
  const first = await say({
    sessionId: words.of("sessionname"),
    message: `Hello ${words.of("message")}`,
    attachments: [{ fileId }],
  });
  const { sessionId } = first;
  const inSession = (
    name: string,
    args: object,
    onQuestion?: (runId: string, toolCallId: string) => Promise<void>,
  ) => say({ sessionId, message: callMessage(name, args) }, onQuestion);
  const { messages } = await ask<{ messages: { id: string; role: string }[] }>(
    server,
    "GET",
    `/sessions/${sessionId}/messages`,
    headers,
  );
  await say({ sessionId, regenerate: messages.find(({ role }) => role === "assistant")?.id });
  await turn(
    server,
    { ...headers, "idempotency-key": words.of("idempotencykey") },
    { sessionId, message: `Again ${words.of("edited")}`, parentId: null },
  );
  await inSession("long_text", {});
  await inSession("fails", {});
  // Failures in a row would pause the tool.
  await inSession("fails", { well: true });
  await inSession("todo", { items: [{ text: words.of("todo"), state: "open" }] });
  await inSession("remember", { text: words.of("remembered") }, decide({ decision: "once" }));
  await inSession("delegate", { task: `Find out ${words.of("childtask")}` });
  await inSession("generate_artifact", {
    type: "code",
    title: words.of("artifacttitle"),
    code: `// ${words.of("artifact")}\nlet x = 1;`,
    language: "javascript",
  });
  writeFileSync(join(workspace, "old.txt"), `before ${words.of("undocopy")}`);
  await inSession(
    "filesystem",
    { operation: "write", path: "old.txt", content: `after ${words.of("writtenfile")}` },
    decide({ decision: "once" }),
  );
  await inSession(
    "filesystem",
    { operation: "write", path: "no.txt", content: words.of("deniedfile") },
    decide({ decision: "deny", note: words.of("denialnote") }),
  );
  await inSession(
    "execute_command",
    { command: `echo ${words.of("command")}; sleep 300`, background: true },
    decide({ decision: "once" }),
  );
  await inSession(
    "ask_user",
    { question: `Which ${words.of("question")}?`, options: [words.of("option")] },
    async (runId, toolCallId) => {
      const send = (message: string) =>
        ask<{ messageId: string }>(server, "POST", `/runs/${runId}/messages`, headers, {
          message,
          when: "after",
        });
      await send(`Then ${words.of("waiting")}`);
      const { messageId } = await send(`Never ${words.of("withdrawn")}`);
      await ask(server, "PATCH", `/runs/${runId}/messages/${messageId}`, headers, {
        message: words.of("changedmessage"),
      });
      await ask(server, "DELETE", `/runs/${runId}/messages/${messageId}`, headers);
      await ask(server, "POST", `/runs/${runId}/answers/${toolCallId}`, headers, {
        answer: words.of("freeanswer"),
      });
    },
  );
  const said = () =>
    call(server, "GET", `/sessions/${sessionId}/messages`, headers).then((response) => response.text());
  await expect.poll(said, { timeout: 30_000 }).toContain(words.of("waiting"));
  await untilIdle(server, headers, sessionId);
  await ask(server, "POST", `/sessions/${sessionId}/compact`, headers, { focus: "everything" });
  await ask(server, "PATCH", `/sessions/${sessionId}`, headers, { title: `Title ${words.of("title")}` });
  const newest = JSON.parse(await said()).messages.at(-1) as { id: string };
  await ask(server, "POST", `/messages/${newest.id}/feedback`, headers, {
    value: -1,
    note: words.of("feedback"),
  });
  await ask(server, "POST", `/sessions/${sessionId}/share`, headers, { steps: true, files: true });
  return [sessionId, ...(await plantInDialects(server, headers, words))];
}

/** Plants words through a few doors: a message with a file, its answer, an artifact, a share, and a dialect. */
export async function plantFew(
  server: ServerProcess,
  headers: Credentials,
  words: Words,
  _workspace: string,
): Promise<string[]> {
  const name = words.of("filename");
  const fileId = await upload(server, headers, name, `Notes: ${words.of("attachment")} `.repeat(50));
  const { sessionId } = await turn(server, headers, {
    sessionId: words.of("sessionname"),
    message: `Hello ${words.of("message")}`,
    attachments: [{ fileId }],
  });
  const message = callMessage("generate_artifact", {
    type: "code",
    title: words.of("artifacttitle"),
    code: `// ${words.of("artifact")}\nlet x = 1;`,
    language: "javascript",
  });
  await turn(server, headers, { sessionId, message });
  await ask(server, "POST", `/sessions/${sessionId}/share`, headers, { steps: true, files: true });
  return [sessionId, ...(await plantInDialects(server, headers, words))];
}

/** Plants words in a project and in its file. Returns the id of the project. */
export async function plantProject(
  server: ServerProcess,
  headers: Credentials,
  words: Words,
): Promise<string> {
  const { id } = await ask<{ id: string }>(server, "POST", "/projects", headers, {
    name: words.of("projectname"),
    instructions: `Always ${words.of("projectinstructions")}`,
  });
  const text = `Notes ${words.of("projectfile")} `.repeat(200);
  await upload(server, headers, words.of("projectfilename"), text, `/projects/${id}/files`);
  await turn(server, headers, { projectId: id, message: "Hello" });
  return id;
}

async function plantInDialects(server: ServerProcess, headers: Credentials, words: Words): Promise<string[]> {
  const image = (door: string) => ({
    type: "image_url",
    image_url: { url: `data:image/png;base64,${picture(words.of(door)).toString("base64")}` },
  });
  await ask(server, "POST", "/v1/chat/completions", headers, {
    model: "gpt-4o",
    messages: [
      { role: "user", content: [{ type: "text", text: words.of("history") }, image("historyimage")] },
      { role: "assistant", content: "I see." },
      { role: "user", content: [{ type: "text", text: words.of("completion") }, image("newestimage")] },
    ],
  });
  const response = await ask<{ id: string }>(server, "POST", "/v1/responses", headers, {
    model: "gpt-4o",
    input: words.of("response"),
    instructions: words.of("instructions"),
  });
  await ask(server, "POST", "/v1/responses", headers, {
    model: "gpt-4o",
    input: words.of("nextresponse"),
    previous_response_id: response.id,
  });
  await ask(server, "POST", "/sessions/import", headers, {
    conversationId: "x",
    title: `Imported ${words.of("importtitle")}`,
    messages: [
      {
        messageId: "1",
        text: words.of("imported"),
        isCreatedByUser: true,
        createdAt: "2024-01-01T00:00:00Z",
      },
    ],
  });
  const { sessions } = await ask<{ sessions: { id: string }[] }>(
    server,
    "GET",
    "/sessions?limit=200",
    headers,
  );
  return sessions.map(({ id }) => id);
}

/** Waits until no run works in a session. */
export async function untilIdle(
  server: ServerProcess,
  headers: Credentials,
  sessionId: string,
): Promise<void> {
  await expect
    .poll(
      async () =>
        (await ask<{ activeRunId?: string }>(server, "GET", `/sessions/${sessionId}`, headers)).activeRunId,
      { timeout: 30_000 },
    )
    .toBeUndefined();
}
