import { type ChatEvent, type ChatEventType, chatEvent, type EventOf } from "../../src/protocol/events.ts";

export interface Frame {
  id: number | undefined;
  data: string;
}

/** Requests a turn like a plain HTTP client. */
export function postChat(url: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    ...(init.headers as Record<string, string> | undefined),
  };
  return fetch(`${url}/chat`, { method: "POST", body: JSON.stringify(body), ...init, headers });
}

/** Parses SSE frames independently of our client until the body ends or `take` returns false. */
export async function readFrames(response: Response, take?: (frame: Frame) => boolean): Promise<Frame[]> {
  const frames: Frame[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  try {
    for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
      rest += decoder.decode(chunk.value, { stream: true });
      for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
        const frame = parseFrame(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (!frame) continue;
        frames.push(frame);
        if (take?.(frame) === false) return frames;
      }
    }
    return frames;
  } finally {
    await reader?.cancel().catch(() => undefined); // Some tests kill the server, so the connection may be gone.
  }
}

function parseFrame(text: string): Frame | undefined {
  const lines = text.split("\n").filter((line) => !line.startsWith(":"));
  if (lines.length === 0) return undefined;
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const id = field("id");
  return { id: id === undefined ? undefined : Number(id), data: field("data") ?? "" };
}

/** Returns the events in the frames, each checked against its schema, without `[DONE]`. */
export function eventsOf(frames: Frame[]): ChatEvent[] {
  return frames.filter(({ data }) => data !== "[DONE]").map(({ data }) => chatEvent.parse(JSON.parse(data)));
}

/** Requests a turn and reads it to the end. */
export async function chat(url: string, body: unknown, init?: RequestInit): Promise<ChatEvent[]> {
  const response = await postChat(url, body, init);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return eventsOf(await readFrames(response));
}

/** Returns the first event of a type. Throws if there is none. */
export function firstEvent<Type extends ChatEventType>(events: ChatEvent[], type: Type): EventOf<Type> {
  const found = events.find((event): event is EventOf<Type> => event.type === type);
  if (!found) throw new Error(`no ${type} among: ${events.map((event) => event.type).join(", ")}`);
  return found;
}

/** Reads what a stream without an end says at once. */
export async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  setTimeout(() => void reader.cancel().catch(() => {}), 200);
  let text = "";
  for (let read = await reader.read(); !read.done; read = await reader.read())
    text += Buffer.from(read.value).toString();
  return text;
}
