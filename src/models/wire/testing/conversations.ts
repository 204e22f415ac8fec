import type { AssistantPart, Message, Part, ToolResultPart } from "../../../protocol/messages.ts";

/** Returns the next number of a seeded sequence, from 0 up to but not including 1. */
type Random = () => number;

/** Mulberry32: returns the same numbers for the same seed. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const TEXTS = [
  "Hello",
  "Look at this.",
  "",
  " ",
  "\n\n",
  "half \ud83d",
  "\udc00",
  "nul \0",
  "tail  \n",
  "😀",
  "{}",
];
const ARGUMENTS = [
  "{}",
  '{"at":"x"}',
  '{"at":"x',
  "",
  "null",
  "[1]",
  '"text"',
  '{"at":1} more',
  "\ud800",
  '{"\\ud800":"\\u0000"}',
];
const IDS = [
  "call_1",
  "call_2",
  "",
  "functions.look:0",
  "x".repeat(80),
  "toolu_01AbC",
  "ü\ud800",
  "abcdefghi",
];
const NAMES = ["look", "look", "files.read", "gone", "", "ö".repeat(70), "1st"];
const IMAGES: Partial<Extract<Part, { type: "image" }>>[] = [
  { mimeType: "image/png", data: PNG },
  { mimeType: "image/jpeg", data: PNG },
  { mimeType: "image/svg+xml", data: "PHN2Zz48L3N2Zz4=" },
  { mimeType: "image/gif", data: "R0lGODlhAQABAAAAACw=" },
  { mimeType: "image/bmp", data: "Qk0AAAAA" },
  { mimeType: "image/png", data: "not base64!" },
  { mimeType: "image/png", data: "" },
  { mimeType: "image/png", url: "https://example.com/a.png" },
  { mimeType: "image/png", url: `data:image/png;base64,${PNG}` },
  { mimeType: "image/png", url: "ftp://example.com/a.png" },
  { mimeType: "image/png", fileId: "file_1" },
];

/** What a model's own thoughts and answers carry in each dialect. */
const METADATA: Readonly<Record<string, { thought: object[]; said: object[]; call: object[] }>> = {
  "anthropic-messages": { thought: [{ signature: "c2ln" }, { redacted: "cmVk" }], said: [], call: [] },
  gemini: {
    thought: [{ thoughtSignature: "c2ln" }],
    said: [{ thoughtSignature: "c2ln" }],
    call: [{ thoughtSignature: "c2ln" }, { thoughtSignature: "c2ln", id: "g1" }],
  },
  "openai-responses": {
    thought: [{ item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "eA==" } }],
    said: [{ phase: "commentary" }, { responseId: "resp_1" }],
    call: [{ callId: "call_own" }],
  },
  "openai-chat": { thought: [], said: [], call: [] },
  ollama: { thought: [], said: [], call: [] },
};

/** Makes conversations as the loop stores them and as clients of the API send them, odd ones more often than not. */
export function conversations(random: Random, own: { model: string; dialect: string }) {
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (share: number) => random() < share;
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const some = <Item>(most: number, make: () => Item): Item[] =>
    Array.from({ length: below(most + 1) }, make);
  let count = 0;
  const id = () => `m${++count}`;

  const text = (): Part => ({ type: "text", text: pick(TEXTS) });
  const image = (): Part => ({ type: "image", mimeType: "image/png", ...pick(IMAGES) });
  const userParts = (): Part[] => [text(), ...some(2, () => (chance(0.4) ? image() : text()))];

  function metadata(model: string, kind: "thought" | "said" | "call"): object {
    const known = model === own.model ? METADATA[own.dialect] : pick(Object.values(METADATA));
    const found = known?.[kind] ?? [];
    return found.length > 0 && chance(0.7) ? { metadata: pick(found) } : {};
  }

  /** What a model said and called in one step. */
  function answer(model: string): AssistantPart[] {
    const parts: AssistantPart[] = some(1, () => ({
      type: "reasoning",
      text: pick(TEXTS),
      ...metadata(model, "thought"),
    }));
    for (const _ of some(2, () => 0)) {
      if (chance(0.15)) parts.push({ type: "image", mimeType: "image/png", data: PNG });
      else parts.push({ type: "text", text: pick(TEXTS), ...metadata(model, "said") });
    }
    for (const _ of some(2, () => 0)) {
      const unique = chance(0.8) ? `${pick(IDS)}${++count}` : pick(IDS);
      parts.push({
        type: "tool_call",
        id: unique,
        name: pick(NAMES),
        arguments: pick(ARGUMENTS),
        ...metadata(model, "call"),
      });
    }
    return parts;
  }

  function result(toolCallId: string): ToolResultPart {
    const facts = { type: "tool_result", toolCallId, toolName: "look", trust: "untrusted" } as const;
    if (chance(0.2)) return { ...facts, success: true, output: pick(TEXTS), fromClient: true };
    if (chance(0.5)) return { ...facts, success: true, output: pick(TEXTS) };
    const code = pick(["TOOL_DENIED", "TOOL_UNKNOWN", "TOOL_INVALID_ARGUMENTS", "CANCELLED"] as const);
    return { ...facts, success: false, output: "", error: { code, status: 400, message: pick(TEXTS) } };
  }

  const callsOf = (parts: readonly Part[]) =>
    parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));

  /** One run as it is stored: steps with all their results, and at its end perhaps a step that was stopped. */
  function run(): Message {
    const model = pick([own.model, own.model, "other/model"]);
    const parts: Part[] = [];
    for (const _ of some(3, () => 0)) {
      const said = answer(model);
      parts.push(...said, ...callsOf(said).map(result));
    }
    if (chance(0.3)) parts.push(...answer(model));
    if (chance(0.2)) parts.push({ type: "text", text: "\n\nI stopped at the limit." });
    return { id: id(), role: "assistant", model, parts };
  }

  return {
    /** A session: questions, runs, questions without an answer, a change of models, a run in progress. */
    session(): Message[] {
      const messages: Message[] = [];
      for (const _ of some(4, () => 0)) {
        messages.push({ id: id(), role: "user", parts: userParts() });
        if (chance(0.8)) messages.push(run());
      }
      if (chance(0.7)) messages.push({ id: id(), role: "user", parts: userParts() });
      return messages;
    },
    /** Anything that a client can send, in any order. */
    fromClient(): Message[] {
      const open: string[] = [];
      return some(7, (): Message => {
        const role = pick(["system", "user", "assistant", "results"] as const);
        if (role === "system") return { id: id(), role, parts: [text()] };
        if (role === "user") return { id: id(), role, parts: userParts() };
        if (role === "assistant") {
          const parts = answer(pick([own.model, ""]));
          open.push(...callsOf(parts));
          return { id: id(), role, parts };
        }
        return {
          id: id(),
          role: "user",
          parts: [...open.splice(0, below(4)), ...(chance(0.2) ? ["lost"] : [])].map(result),
        };
      });
    },
  };
}
