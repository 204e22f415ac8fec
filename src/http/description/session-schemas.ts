import { z } from "zod";
import { finishReason, usage } from "../../protocol/events.ts";
import { feedbackRequest } from "../../protocol/feedback.ts";
import { modelParameters } from "../../protocol/projects.ts";

const anything = z.record(z.string(), z.unknown());
const time = z.iso.datetime();
export const session = z.object({
  id: z.string(),
  userId: z.string(),
  title: z.string(),
  name: z.string().optional().meta({ description: "The name that its owner made up for it." }),
  createdAt: time,
  updatedAt: time,
  headId: z.string().optional().meta({ description: "The newest message of the current branch." }),
  titledBy: z
    .enum(["model", "person"])
    .optional()
    .meta({ description: "Who chose the title. Missing for the first words of the first message." }),
  projectId: z.string().optional().meta({ description: "The project that it is in." }),
  parameters: modelParameters
    .optional()
    .meta({ description: "How its messages are answered, unless a request says otherwise." }),
  preview: z
    .string()
    .optional()
    .meta({ description: "How its newest message begins. Only in the list of a project." }),
  pinned: z.boolean().optional().meta({ description: "Stays at the top of the list." }),
  archived: z.literal(true).optional().meta({ description: "Is in the archive, not in the list." }),
  temporary: z.literal(true).optional().meta({ description: "Not listed, not searched, and not kept." }),
  compared: z
    .literal(true)
    .optional()
    .meta({ description: "A temporary fork for comparing answers, deleted a day after its last use." }),
  activeRunId: z.string().optional().meta({ description: "The run that is in progress." }),
  waiting: z.literal(true).optional().meta({ description: "The run waits for a decision." }),
});
const highlights = z
  .array(z.object({ start: z.number(), end: z.number() }))
  .meta({ description: "Where the found words are, in UTF-16 units." });
export const searchResults = z.object({
  query: z.string(),
  results: z.array(
    z.object({
      kind: z.enum(["conversation", "message", "artifact", "file"]),
      sessionId: z.string().optional().meta({ description: "The conversation that it is in." }),
      messageId: z.string().optional(),
      artifactId: z.string().optional(),
      fileId: z.string().optional(),
      url: z.string().optional().meta({ description: "The signed address of the file." }),
      role: z.enum(["user", "assistant"]).optional(),
      title: z.string().meta({ description: "Of the conversation or artifact, or the name of the file." }),
      titleHighlights: highlights,
      snippet: z.string().optional().meta({ description: "One line around the found words, as plain text." }),
      highlights: highlights.optional(),
      otherBranch: z.literal(true).optional().meta({
        description:
          "The message is in a version that is not shown. `PATCH` the session with `show` to show it.",
      }),
      archived: z.literal(true).optional(),
      project: z
        .object({ id: z.string(), name: z.string() })
        .optional()
        .meta({ description: "The project that the conversation is in." }),
      at: time,
    }),
  ),
  complete: z.boolean().meta({
    description: "False while texts from before an upgrade, or of a large import, are still being indexed.",
  }),
});
export const message = z.object({
  id: z.string(),
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
  createdAt: time,
  parentId: z.string().optional().meta({ description: "The message before this one." }),
  siblings: z
    .array(z.string())
    .optional()
    .meta({ description: "All versions of this message, in order. Missing if there is only one." }),
  model: z.string().optional(),
  runId: z.string().optional(),
  finishReason: finishReason.optional(),
  usage: usage.optional(),
  attachments: z.array(anything).optional(),
  app: z.string().optional().meta({ description: "The MCP server whose interface wrote it." }),
  appContexts: z
    .array(z.object({ server: z.string(), text: z.string() }))
    .optional()
    .meta({ description: "What interfaces of MCP servers told the model with it." }),
  toolCalls: z.array(anything).optional(),
  messagesIntoRun: z
    .array(
      z.object({
        messageId: z.string(),
        message: z.string(),
        attachments: z.array(anything).optional(),
        textOffset: z.number(),
        afterCalls: z.number(),
      }),
    )
    .optional()
    .meta({ description: "Messages sent into the run: where in `content`, and after how many calls." }),
  feedback: feedbackRequest.optional().meta({ description: "What you think of it." }),
  state: anything.optional().meta({ description: "The state of the run, folded from its events." }),
});
