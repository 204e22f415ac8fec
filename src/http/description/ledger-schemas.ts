import { z } from "zod";

const time = z.iso.datetime();
const amounts = z.object({
  runs: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number(),
});
const user = { userId: z.string(), user: z.string().meta({ description: "The email address or the id." }) };

export const budget = z.object({
  usd: z.number(),
  days: z
    .number()
    .optional()
    .meta({ description: "The number of days it covers. Without it, the budget never resets." }),
});

const activity = z.object({
  people: z.number().meta({ description: "People with a finished run or a direct call." }),
  calls: z.number().meta({ description: "Tool calls." }),
  failures: z.number().meta({ description: "Tool calls that failed." }),
  running: z.number().meta({ description: "The most active runs at once, noted twice a minute." }),
  bytes: z
    .number()
    .meta({ description: "Stored at the end, in the database and in files; noted every hour." }),
});

/** What belongs to a person. */
export const ownedData = z.object({
  id: z.string(),
  conversations: z.number(),
  messages: z.number(),
  artifacts: z.number(),
  files: z.number(),
  bytes: z.number().meta({ description: "Of the files." }),
  projects: z.number(),
  members: z.number().meta({ description: "Other people who share these projects." }),
  memories: z.number(),
  links: z.number().meta({ description: "Shared links." }),
  keys: z.number().meta({ description: "API keys." }),
});

/** The usage of a person or of the whole server. */
export const usageReport = z.object({
  timeZone: z.string(),
  total: amounts,
  days: z.array(amounts.extend({ day: z.iso.date() })).meta({ description: "Empty with `by=hour`." }),
  hours: z
    .array(amounts.extend({ at: time }))
    .optional()
    .meta({ description: "With `by=hour`." }),
  activity: z
    .object({ total: activity, each: z.array(activity) })
    .optional()
    .meta({ description: "Of the whole server: all in all, and for each of the days or hours." }),
  models: z.array(amounts.extend({ model: z.string() })),
  tools: z.array(
    z.object({
      tool: z.string(),
      calls: z.number(),
      failures: z.number(),
      cached: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      costUsd: z.number(),
      p50Ms: z.number().optional(),
      p95Ms: z.number().optional(),
    }),
  ),
});

const breaker = z.object({
  name: z.string(),
  state: z.enum(["closed", "open", "probing"]),
  failures: z.number(),
});
export const breakers = z.object({ breakers: z.array(breaker) });

export const activeRuns = z.object({
  runs: z.array(
    z.object({
      id: z.string(),
      ...user,
      status: z.enum(["running", "waiting"]),
      model: z.string(),
      startedAt: time,
      waitsFor: z
        .object({ for: z.enum(["decision", "answer", "tool", "model"]), tool: z.string().optional() })
        .optional()
        .meta({ description: "What it waits for: a person's decision or answer, a tool, or its model." }),
    }),
  ),
});

const limitOrigin = z.enum(["default", "operator", "administrator"]);

export const serverLimits = z.object({
  windowMinutes: z.number(),
  rows: z.array(
    z.object({
      name: z.string(),
      guest: z.number().optional(),
      account: z.number().optional(),
      from: z
        .object({ guest: limitOrigin, account: limitOrigin })
        .meta({ description: "Who set each number. What the operator set is fixed." }),
    }),
  ),
});

export const situation = activeRuns.extend({
  approvals: z.array(
    z.object({ runId: z.string(), ...user, toolName: z.string(), risk: z.string(), expiresAt: time }),
  ),
  breakers: z.array(breaker),
  kept: z.object({ sessions: z.number(), messages: z.number(), runs: z.number(), bytes: z.number() }),
});

const error = { code: z.string(), source: z.string() };
const counted = {
  count: z.number(),
  codes: z.record(z.string(), z.number()).meta({ description: "The same by code." }),
};
export const errors = z.object({
  counts: z.array(z.object({ ...error, count: z.number(), latest: time })),
  latest: z.array(z.object({ ...error, requestId: z.string().optional(), at: time })),
  days: z.array(z.object({ day: z.iso.date(), ...counted })).meta({ description: "Empty with `by=hour`." }),
  hours: z
    .array(z.object({ at: time, ...counted }))
    .optional()
    .meta({ description: "With `by=hour`." }),
});

const hash = z.string().meta({ description: "SHA-256, in hexadecimal." });
export const auditLog = z.object({
  entries: z.array(
    z.object({
      seq: z.number().meta({ description: "Counts from 1 without gaps." }),
      at: time,
      actor: z.string().meta({ description: "A user's id, `visitor`, `operator` or `system`." }),
      action: z.string(),
      sessionId: z.string().optional(),
      subject: z.record(z.string(), z.unknown()),
      former: hash.or(z.literal("")).meta({ description: "The hash of the entry before it." }),
      hash,
      seal: hash.meta({ description: "The hash, signed with the server's secret." }),
    }),
  ),
  names: z
    .record(z.string(), z.string())
    .meta({ description: "The email addresses of the people in these entries, by id." }),
  head: z
    .object({ seq: z.number(), hash })
    .nullable()
    .meta({ description: "The newest entry. Keep its hash elsewhere, and give it to tackle audit verify." }),
  next: z
    .number()
    .optional()
    .meta({ description: "The number to go on from, as `before` or `after`. Missing on the last page." }),
});
