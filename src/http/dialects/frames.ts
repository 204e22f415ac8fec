import { encodedDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import type { StreamEncoder } from "../sse.ts";

/** Encodes the delta of a piece of text or reasoning, which is encoded already. Undefined if its event has to be taken. */
type FrameDelta = (delta: string) => string | undefined;

/** Encodes each event with `take` as data frames, and pieces of text with `frame` where that can. The stream ends with `[DONE]`. */
export function frameEncoder(take: (event: ChatEvent) => object[], frame?: FrameDelta): StreamEncoder {
  const encodeOne = (json: string) => {
    const delta = frame && encodedDelta(json);
    const known = delta && frame?.(delta);
    return known ? `data: ${known}\n\n` : dataFrames(take(JSON.parse(json) as ChatEvent));
  };
  return {
    encode(events) {
      let text = "";
      for (const { json } of events) text += encodeOne(json);
      return text;
    },
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
