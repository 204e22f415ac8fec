import { createHash } from "node:crypto";
import { z } from "zod";
import { MAX_CODE_LENGTH, type StoredArtifact, type UserArtifacts } from "../../../protocol/artifacts.ts";
import { defineTool } from "../../../protocol/define-tool.ts";
import type { ArtifactIssue } from "../../../protocol/events.ts";
import { Failure } from "../../../protocol/failure.ts";
import { addUsage, type Usage } from "../../../protocol/model.ts";
import type { ToolContext, ToolOutput } from "../../../protocol/tool.ts";
import "../../artifacts/needed-packages.ts";
import type { ArtifactType, ProcessedArtifact } from "../../artifacts/pipeline.ts";
import { processInWorker, warmUpWorker } from "../../artifacts/worker.ts";
import { titleFor } from "./title.ts";
import {
  type ArtifactRequest,
  Phases,
  rewrite,
  StreamedReasoning,
  type WritingContext,
  write,
} from "./write.ts";

const parameters = z
  .object({
    type: z
      .enum(["react", "html", "svg", "code", "mermaid", "markdown"])
      .describe(
        "react: an interactive component; html: a page; svg: a drawing; mermaid: a diagram; markdown: a document; code: source to read",
      ),
    prompt: z
      .string()
      .min(1)
      .max(10_000)
      .describe("What to make, or what to change; a specialised model writes it. Give this or code.")
      .optional(),
    code: z
      .string()
      .min(1)
      .max(MAX_CODE_LENGTH)
      .describe("The finished code, if it is written already")
      .optional(),
    title: z.string().min(1).max(100).describe("A short title for the person").optional(),
    language: z.string().min(1).max(40).describe("The programming language, for type code").optional(),
    artifactId: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .describe("The artifact to revise: a new version of it is made")
      .optional(),
  })
  .refine(({ prompt, code }) => prompt !== undefined || code !== undefined, {
    message: "give prompt or code",
  });

type Arguments = z.output<typeof parameters>;

export default defineTool({
  name: "generate_artifact",
  description:
    "Makes something that the person sees and uses beside the conversation: a React component, an HTML page, an SVG drawing, a Mermaid diagram, a Markdown document or source code. Give a prompt, or the finished code. To change one, give its artifactId. React: one component with a default export; react, recharts, lucide-react, framer-motion, radix-ui and Tailwind classes are there, no network.",
  effect: "none",
  retry: "idempotent",
  trust: "trusted",
  timeoutMs: 240_000,
  streaming: true,
  modelRole: "artifact",
  input: parameters,
  run,
});

async function run(args: Arguments, context: ToolContext): Promise<ToolOutput> {
  const library = context.artifacts;
  if (!library) throw new Failure("TOOL_FAILED", "Artifacts can't be stored here.");
  const phases = new Phases(context);
  phases.reach("analyzing");
  warmUpWorker();
  const existing = args.artifactId === undefined ? undefined : await library.get(args.artifactId);
  const artifactId = existing?.id ?? newArtifactId(context);
  const { type, prompt = "", code } = args;
  const language = args.language ?? existing?.language;
  const reasoning = new StreamedReasoning(context);
  const work = { artifactId, phases, reasoning, context };
  const made =
    code === undefined
      ? await fromPrompt({ type, prompt, language, existing }, work)
      : await fromCode(type, code, args.language, phases);
  return finish(args, made, { artifactId, existing, library, context, reasoning: reasoning.text });
}

interface Made extends ProcessedArtifact {
  usage?: Usage;
}

async function fromCode(
  type: ArtifactType,
  code: string,
  language: string | undefined,
  phases: Phases,
): Promise<Made> {
  phases.reach("finalizing");
  return processInWorker({ type, code, language });
}

/** Has a model write the code. If the checks cannot repair it, the model gets the errors and one more attempt. */
async function fromPrompt(request: ArtifactRequest, work: WritingContext): Promise<Made> {
  const { type, language } = request;
  const first = await write(request, work);
  work.phases.reach("finalizing");
  const processed = await processInWorker({ type, code: first.text, language });
  if (processed.ok) return { ...processed, usage: first.usage };
  const second = await rewrite(request, processed.code, problemsOf(processed.issues), work);
  const usage = { ...first.usage };
  addUsage(usage, second.usage);
  return { ...(await processInWorker({ type, code: second.text, language })), usage };
}

interface Finishing {
  artifactId: string;
  existing: StoredArtifact | undefined;
  library: UserArtifacts;
  context: ToolContext;
  /** What the model thought. Empty if it did not say, or if the code was given. */
  reasoning: string;
}

/** Saves the version, shows it and reports the result. Code that does not work is saved too, so that nothing is lost. */
async function finish(
  args: Arguments,
  made: Made,
  { artifactId, existing, library, context, reasoning }: Finishing,
): Promise<ToolOutput> {
  const { code, issues, ok, usage } = made;
  const { type } = args;
  const { toolCallId, sessionId, runId, idempotencyKey: callKey } = context;
  const named = made.language ?? args.language;
  const language = named === undefined ? {} : { language: named };
  const title = args.title ?? existing?.title ?? titleFor(type, args.prompt, code);
  const { artifact, previewUrl } = await library.save({
    id: artifactId,
    sessionId,
    runId,
    callKey,
    type,
    title,
    ...language,
    code,
    issues,
  });
  const { version } = artifact;
  context.show({
    type: "artifact_complete",
    toolCallId,
    artifactId,
    version,
    artifactType: type,
    artifactTitle: title,
    artifactCode: code,
    ...language,
    previewUrl,
    issues,
  });
  if (!ok) {
    throw new Failure(
      "TOOL_FAILED",
      `“${title}” does not work: ${problemsOf(issues).join(" ")} The code is kept as version ${version} of artifact ${artifactId}; correct it and call again with that artifactId.`,
      { details: { artifactId, version, previewUrl, issues } },
    );
  }
  const facts = { artifactId, version, type, title, ...language, code, previewUrl, issues };
  return {
    output: describe(type, title, artifactId, version, issues),
    data: { ...facts, ...(reasoning ? { reasoning } : {}), usage },
  };
}

function describe(
  type: ArtifactType,
  title: string,
  id: string,
  version: number,
  issues: readonly ArtifactIssue[],
): string {
  const lines = [
    `“${title}” (${type}) is ready and shown to the person: artifact ${id}, version ${version}. Do not repeat its code.`,
  ];
  const fixed = issues.filter(({ severity }) => severity === "fixed");
  if (fixed.length > 0)
    lines.push(
      `Mended on the way: ${[...new Set(fixed.map(({ message }) => message))].slice(0, 8).join(" ")}`,
    );
  for (const { message } of issues.filter(({ severity }) => severity === "warning").slice(0, 5))
    lines.push(`Note: ${message}`);
  return lines.join("\n");
}

/** The errors with their places. */
function problemsOf(issues: readonly ArtifactIssue[]): string[] {
  return issues
    .filter(({ severity }) => severity === "error")
    .slice(0, 5)
    .map(({ message, line, column }) =>
      line === undefined
        ? message
        : `Line ${line}${column === undefined ? "" : `, column ${column}`}: ${message}`,
    );
}

/** An id that cannot be guessed, and is the same when the call is repeated after a crash. */
function newArtifactId({ idempotencyKey }: ToolContext): string {
  return `art_${createHash("sha256").update(`artifact\n${idempotencyKey}`).digest("base64url").slice(0, 24)}`;
}
