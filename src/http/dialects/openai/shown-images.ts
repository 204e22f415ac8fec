import type { ChatEvent, EventOf } from "../../../protocol/events.ts";
import type { Feed } from "../../../protocol/journal.ts";
import type { EncodedEvent } from "../../../protocol/run-records.ts";
import type { Turns } from "../../../protocol/turns.ts";

// Events name images by their address. Clients of OpenAI's get the bytes.

/** The tool of ours that makes images. */
export const IMAGE_TOOL = "generate_image";

/** Returns the events of a run, with the bytes of its images. */
export async function eventsWithImages(turns: Turns, runId: string): Promise<ChatEvent[]> {
  const events = await turns.eventsOf(runId);
  return Promise.all(events.map(({ event }) => withBytes(turns, event)));
}

/** Returns a feed that delivers the same events, with the bytes of images. What follows an image waits for it. */
export function feedWithImages(feed: Feed, turns: Turns): Feed {
  return {
    async follow(runId, after, onEvents, signal, onLive) {
      let loading: Promise<void> | undefined;
      const inOrder = (act: () => void | Promise<void>) => {
        loading = loading?.then(act) ?? Promise.resolve(act());
        // It is awaited below.
        loading.catch(() => undefined);
      };
      const deliver = (events: readonly EncodedEvent[]) => {
        if (!loading && !events.some(showsImage)) onEvents(events);
        else
          inOrder(async () => {
            const whole = await Promise.all(events.map((event) => encodedWithBytes(turns, event)));
            if (!signal.aborted) onEvents(whole);
          });
      };
      const live = onLive && (() => (loading ? inOrder(onLive) : onLive()));
      await feed.follow(runId, after, deliver, signal, live);
      await loading;
    },
  };
}

function showsImage({ json }: EncodedEvent): boolean {
  return json.startsWith('{"type":"image_complete"');
}

async function encodedWithBytes(turns: Turns, event: EncodedEvent): Promise<EncodedEvent> {
  if (!showsImage(event)) return event;
  return { ...event, json: JSON.stringify(await withBytes(turns, JSON.parse(event.json) as ChatEvent)) };
}

/** Knows which images of a run are its answer: those that the model itself made, and those of the image tool. */
export class AnswerImages {
  #messageId: string | undefined;
  readonly #calls = new Set<string>();

  note(event: ChatEvent): void {
    if (event.type === "session") this.#messageId = event.messageId;
    if (event.type === "tool_call_start" && event.toolName === IMAGE_TOOL) this.#calls.add(event.toolCallId);
  }

  has({ toolCallId }: Pick<EventOf<"image_complete">, "toolCallId">): boolean {
    return toolCallId === this.#messageId || this.#calls.has(toolCallId);
  }
}

/** An image as chat completions have it, in the form of OpenRouter's. None if its bytes are gone. */
export function imageParts({ imageData, mimeType }: EventOf<"image_complete">) {
  if (imageData === undefined) return [];
  return [{ type: "image_url", image_url: { url: `data:${mimeType};base64,${imageData}` } }];
}

async function withBytes(turns: Turns, event: ChatEvent): Promise<ChatEvent> {
  if (event.type !== "image_complete" || event.imageData !== undefined) return event;
  const imageData = await turns.imageAt(event.imageUrl);
  return imageData === undefined ? event : { ...event, imageData };
}
