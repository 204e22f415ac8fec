import type { TranscriptMessage } from "../protocol/chat.ts";
import type { SlashCommand } from "./commands.ts";
import { table } from "./listings.ts";
import type { Conversation } from "./repl.ts";
import { dollars, estimatedTokens, percentUsed, tokens } from "./status-line.ts";

/** Shows what fills the context window, as far as it can be told from here. */
async function showContext({ screen, chat, sessionId, usage }: Conversation): Promise<void> {
  const messages = sessionId === undefined ? [] : await chat.messages(sessionId);
  const used = usage?.contextTokens;
  const window = usage?.contextWindow;
  const percent = percentUsed(usage);
  const head =
    used === undefined || window === undefined
      ? "How full the context window is will be known after the next answer."
      : `${tokens(used)} of ${tokens(window)} tokens are in use: ${percent} %.`;
  const parts = [
    ["your messages", sizeOf(messages, ({ role, content }) => (role === "user" ? content : ""))],
    ["answers", sizeOf(messages, ({ role, content }) => (role === "assistant" ? content : ""))],
    [
      "tool calls",
      sizeOf(messages, ({ toolCalls = [] }) => JSON.stringify(toolCalls.map((call) => call.arguments))),
    ],
    [
      "tool results",
      sizeOf(messages, ({ toolCalls = [] }) => toolCalls.map(({ output = "" }) => output).join("")),
    ],
  ] as const;
  const told = parts.reduce((sum, [, size]) => sum + size, 0);
  const rest = used === undefined ? 0 : used - told;
  const rows = [...parts, ...(rest > 0 ? [["instructions and tools", rest] as const] : [])].map(
    ([name, size]) => [name, `about ${tokens(size)}`],
  );
  screen.print(head, ...table(["PART", "TOKENS"], rows, screen.columns, screen.paint));
  if (rest < 0) screen.say("Some of this was shortened or summarized for the model.");
}

/** Shows what the conversation cost so far, by model. */
async function showCost({ screen, chat, sessionId }: Conversation): Promise<void> {
  const messages = sessionId === undefined ? [] : await chat.messages(sessionId);
  const models = new Map<string, { input: number; cached: number; output: number; cost: number }>();
  const used = messages.flatMap(({ model = "", usage, compacted }) => [
    ...(usage ? [{ model, ...usage }] : []),
    ...(compacted?.cost ? [compacted.cost] : []),
  ]);
  for (const { model, ...usage } of used) {
    const sum = models.get(model) ?? { input: 0, cached: 0, output: 0, cost: 0 };
    sum.input += usage.inputTokens;
    sum.cached += usage.cachedTokens ?? 0;
    sum.output += usage.outputTokens;
    sum.cost += usage.costUsd ?? 0;
    models.set(model, sum);
  }
  if (models.size === 0) return screen.say("Nothing was used yet.");
  const rows = [...models].map(([model, { input, cached, output, cost }]) => [
    model,
    tokens(input),
    tokens(cached),
    tokens(output),
    cost > 0 ? dollars(cost) : "–",
  ]);
  const total = [...models.values()].reduce((sum, { cost }) => sum + cost, 0);
  screen.print(...table(["MODEL", "IN", "CACHED", "OUT", "COST"], rows, screen.columns, screen.paint));
  if (models.size > 1) screen.print(`${dollars(total)} in all.`);
}

function sizeOf(
  messages: readonly TranscriptMessage[],
  text: (message: TranscriptMessage) => string,
): number {
  return estimatedTokens(messages.map(text).join(""));
}

/** The commands about what a conversation uses. */
export const USAGE_COMMANDS: readonly SlashCommand[] = [
  {
    name: "context",
    usage: "/context",
    summary: "show what fills the context window",
    atOnce: true,
    run: showContext,
  },
  {
    name: "cost",
    usage: "/cost",
    summary: "show what this conversation used and cost",
    atOnce: true,
    run: showCost,
  },
];
