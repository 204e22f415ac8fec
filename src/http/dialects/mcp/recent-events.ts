import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const MAX_EVENTS = 200;
const MAX_CHARACTERS = 1_000_000;

interface KeptEvent {
  id: string;
  streamId: string;
  message: JSONRPCMessage;
  characters: number;
}

/** Keeps the newest messages of a session, so that a client whose connection broke can read on. */
export function createRecentEvents(): EventStore {
  const events: KeptEvent[] = [];
  let count = 0;
  let characters = 0;

  /** The newest one stays, whatever its size: it may be a result that the client has not read. */
  function makeRoom(): void {
    while (events.length > 1 && (events.length > MAX_EVENTS || characters > MAX_CHARACTERS))
      characters -= events.shift()?.characters ?? 0;
  }

  return {
    async storeEvent(streamId, message) {
      const event = { id: String(++count), streamId, message, characters: JSON.stringify(message).length };
      events.push(event);
      characters += event.characters;
      makeRoom();
      return event.id;
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.streamId,
    async replayEventsAfter(lastId, { send }) {
      const last = events.find((event) => event.id === lastId);
      if (!last) throw new Error("these messages are gone");
      const missed = events.filter(
        (event) => event.streamId === last.streamId && Number(event.id) > Number(lastId),
      );
      // The first event of a stream has a number and nothing else.
      for (const { id, message } of missed) if (Object.keys(message).length > 0) await send(id, message);
      return last.streamId;
    },
  };
}
