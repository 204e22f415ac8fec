/** Where the page leaves the words of notifications in the person's language. The service worker has no texts of its own. */
export const WORDS_CACHE = "tackle-words";
export const WORDS_PATH = "/notice-words";

/** Texts by what happened. `{title}` stands for the conversation's title. */
export type NoticeWords = Record<"approval" | "question" | "done" | "failed" | "untitled", string>;
