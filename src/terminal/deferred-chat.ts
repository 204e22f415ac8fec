import type { Chat } from "../protocol/chat.ts";

/** A chat that is still being opened: whatever it is asked waits for that. */
export function lateChat(opening: Promise<Chat>): Chat {
  opening.catch(() => undefined); // Told to whoever asks it something, and by whoever opens it.
  async function* follow(...args: Parameters<Chat["follow"]>) {
    yield* (await opening).follow(...args);
  }
  return new Proxy({} as Chat, {
    get(_, name) {
      if (name === "then") return undefined; // It is no promise, although it is made of one.
      if (name === "follow") return follow;
      return async (...args: unknown[]) => {
        const chat = await opening;
        return Reflect.apply(chat[name as keyof Chat] as (...args: unknown[]) => unknown, chat, args);
      };
    },
  });
}
