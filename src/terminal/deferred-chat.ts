import type { Chat } from "../protocol/chat.ts";

/** A chat that is still being opened. Every call waits until it is open. */
export function deferredChat(opening: Promise<Chat>): Chat {
  let open: Chat | undefined;
  opening.then(
    (chat) => {
      open = chat;
    },
    () => undefined, // Reported by each call, and by the caller that opens it.
  );
  async function* follow(...args: Parameters<Chat["follow"]>) {
    yield* (await opening).follow(...args);
  }
  return new Proxy({} as Chat, {
    get(_, name) {
      if (name === "then") return undefined; // `await` must not take it for a promise.
      if (name === "follow") return follow;
      if (open && !(name in open)) return undefined;
      return async (...args: unknown[]) => {
        const chat = await opening;
        return Reflect.apply(chat[name as keyof Chat] as (...args: unknown[]) => unknown, chat, args);
      };
    },
  });
}
