import type { ChatEvent } from "../../../protocol/events.ts";
import type { StreamEncoder } from "../../sse.ts";

/** A stream of plain data frames that ends in `[DONE]`, from what an encoder makes of each event. */
export function dataFrames(take: (event: ChatEvent) => object[]): StreamEncoder {
  return {
    encode(events) {
      let text = "";
      for (const { json } of events) {
        for (const frame of take(JSON.parse(json) as ChatEvent)) text += `data: ${JSON.stringify(frame)}\n\n`;
      }
      return text;
    },
    end: () => "data: [DONE]\n\n",
  };
}
