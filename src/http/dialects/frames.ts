import type { ChatEvent } from "../../protocol/events.ts";
import type { StreamEncoder } from "../sse.ts";

/** Encodes each event with `take` as data frames. The stream ends with `[DONE]`. */
export function frameEncoder(take: (event: ChatEvent) => object[]): StreamEncoder {
  return {
    encode: (events) => events.map(({ json }) => dataFrames(take(JSON.parse(json) as ChatEvent))).join(""),
    end: () => "data: [DONE]\n\n",
  };
}

/** Encodes each event with `take` as frames that have their type as name. Such streams have no end mark. */
export function namedFrames(take: (event: ChatEvent) => { type: string }[]): StreamEncoder {
  const frame = (one: { type: string }) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`;
  return {
    encode: (events) =>
      events
        .map(({ json }) =>
          take(JSON.parse(json) as ChatEvent)
            .map(frame)
            .join(""),
        )
        .join(""),
    end: () => "",
    heartbeat: frame({ type: "ping" }),
  };
}

/** Writes each object as one data frame. */
export function dataFrames(frames: readonly object[]): string {
  return frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
}
