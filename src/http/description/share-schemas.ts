import { z } from "zod";
import { feedbackRequest } from "../../protocol/feedback.ts";
import { forkRequest } from "../../protocol/requests.ts";
import { shareChange, shareRequest } from "../../protocol/shares.ts";

const time = z.iso.datetime();
const share = z.object({
  id: z.string(),
  sessionId: z.string(),
  url: z.string().meta({ description: "The address for readers." }),
  token: z.string().meta({ description: "The last part of the address." }),
  path: z.string(),
  title: z.string(),
  messages: z.number(),
  artifacts: z.number(),
  keys: z.number().meta({ description: "How many messages contain what looks like a key." }),
  steps: z.boolean(),
  files: z.boolean(),
  hideKeys: z.boolean(),
  createdAt: time,
  copiedAt: time.meta({ description: "When the copy was made." }),
  expiresAt: time,
  outdated: z.boolean().optional().meta({ description: "The conversation went on since." }),
});
const feedbackCount = { up: z.number(), down: z.number() };

/** The schemas of links and feedback. */
export const SHARE_SCHEMAS = {
  ShareRequest: shareRequest,
  ShareChange: shareChange,
  Share: share,
  Shares: z.object({ shares: z.array(share) }),
  SharePreview: z.object({
    messages: z.number(),
    artifacts: z.number(),
    keys: z.number(),
    files: z.array(z.string()).meta({ description: "The types of the attached files." }),
    hasSteps: z.boolean(),
    shares: z.array(share),
  }),
  SharedPage: z.object({
    title: z.string(),
    by: z.string().optional(),
    sharedAt: time,
    expiresAt: time,
    messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.string() })),
  }),
  ForkRequest: forkRequest,
  Tree: z.object({
    messages: z.array(
      z.object({
        id: z.string(),
        parentId: z.string().optional(),
        role: z.enum(["user", "assistant"]),
        text: z.string(),
        model: z.string().optional(),
        createdAt: time,
        shown: z.literal(true).optional().meta({ description: "It is in the current branch." }),
      }),
    ),
  }),
  Feedback: feedbackRequest,
  GivenFeedback: feedbackRequest.extend({ messageId: z.string() }),
  FeedbackReport: z.object({
    models: z.array(z.object({ model: z.string(), ...feedbackCount })),
    days: z.array(z.object({ day: z.string(), ...feedbackCount })),
    hours: z.array(z.object({ at: time, ...feedbackCount })).optional(),
    notes: z.array(
      feedbackRequest.extend({
        messageId: z.string(),
        userId: z.string(),
        user: z.string().meta({ description: "Their email address, if they have an account." }),
        model: z.string(),
        at: time,
      }),
    ),
  }),
};
