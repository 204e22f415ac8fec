import { Failure } from "../../protocol/failure.ts";
import { fileNameFrom } from "../../protocol/file-names.ts";
import { chatOf } from "../caller.ts";
import { type HttpContext, pathParameter, type Route, route } from "../context.ts";
import { fileName } from "../file-headers.ts";
import { answerText } from "../large-answer.ts";

const PAGE = 50;
const JSON_TYPE = "application/json; charset=utf-8";

/** Conversations as files. */
export function exportRoutes(): Route[] {
  return [
    route("GET /sessions/:id/export", exportSession),
    route("GET /me/export", async (c) => {
      const chat = await chatOf(c);
      const documents = allSessions(chat);
      const day = new Date().toISOString().slice(0, 10);
      return c.body(streamOf(documents), 200, {
        "content-type": JSON_TYPE,
        "content-disposition": `attachment; ${fileName(`Tackle ${day}.json`)}`,
      });
    }),
  ];
}

async function exportSession(c: HttpContext): Promise<Response> {
  const format = c.req.query("format") ?? "json";
  if (format !== "json" && format !== "md") throw new Failure("INVALID_INPUT", "format must be json or md.");
  const chat = await chatOf(c);
  const { title } = await chat.getSession(pathParameter(c, "id"));
  const text = await chat.exportSession(pathParameter(c, "id"), format);
  return answerText(c, text, {
    "content-type": format === "json" ? JSON_TYPE : "text/markdown; charset=utf-8",
    "content-disposition": `attachment; ${fileName(fileNameFrom(title, format))}`,
  });
}

type Chat = Awaited<ReturnType<typeof chatOf>>;

/** One document after the other, as a list. Only one conversation is in memory at a time. */
async function* allSessions(chat: Chat): AsyncGenerator<string> {
  let written = 0;
  for (const archived of [false, true]) {
    let before: string | undefined;
    for (;;) {
      const sessions = await chat.listSessions({ limit: PAGE, archived, ...(before ? { before } : {}) });
      for (const { id } of sessions) {
        const document = await exported(chat, id);
        if (document !== undefined) yield `${written++ === 0 ? "[" : ","}\n${document.trimEnd()}`;
      }
      before = sessions.at(-1)?.updatedAt;
      if (sessions.length < PAGE) break;
    }
  }
  yield written === 0 ? "[]\n" : "\n]\n";
}

/** Undefined for a conversation that was deleted meanwhile. */
async function exported(chat: Chat, id: string): Promise<string | undefined> {
  try {
    return await chat.exportSession(id, "json");
  } catch (thrown) {
    if (thrown instanceof Failure && (thrown.code === "NOT_FOUND" || thrown.code === "FORBIDDEN"))
      return undefined;
    throw thrown;
  }
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
