import type { ChatEvent } from "../../protocol/events.ts";
import type { StreamEncoder } from "../sse.ts";

/** Encodes each event with `take` as data frames. The stream ends with `[DONE]`. */
export function frameEncoder(take: (event: ChatEvent) => object[]): StreamEncoder {
  return {
    encode: (events) => events.map(({ json }) => dataFrames(take(JSON.parse(json) as ChatEvent))).join(""),
    end: () => "data: [DONE]\n\n",
  };
}

/** Writes each object as one data frame. */
export function dataFrames(frames: readonly object[]): string {
  return frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
}
