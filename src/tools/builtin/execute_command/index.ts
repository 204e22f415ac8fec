import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { snapshotLater } from "../../../contain/later-files.ts";
import { pathFailure, resolveInside, showPath } from "../../../contain/paths.ts";
import { openFolder } from "../../../contain/paths-open.ts";
import { type CommandEnd, runCommand } from "../../../contain/run-command.ts";
import { cutText } from "../../../protocol/clean-text.ts";
import { defineTool } from "../../../protocol/define-tool.ts";
import { Failure } from "../../../protocol/failure.ts";
import { because } from "../../../protocol/reasons.ts";
import type { ToolOutput } from "../../../protocol/tool.ts";
import { visibleText } from "../../../protocol/visible-text.ts";
import { noteLater, recordCommand } from "./audited.ts";
import { backgroundResult } from "./background.ts";
import { laterNote, laterWarnings, settleLater } from "./later-changes.ts";
import { commandResult } from "./report.ts";
import { commandRisk } from "./risk.ts";
import { worstFirst } from "./worst-first.ts";

const MAX_TIMEOUT_SECONDS = 300;
const SUMMARY_CHARACTERS = 100;
/** Characters of each stream in the error message. */
const SHOWN_OF_TIMEOUT = 250;

export default defineTool({
  name: "execute_command",
  description:
    "Runs a shell command (/bin/sh) in the working folder and returns exit_code, stdout, stderr and duration_ms as JSON; of " +
    "long output, the beginning and the end. Expect no input, and no network but the hosts that the operator has allowed. " +
    "Only the working folder and the home folder can be changed; .git/config, .git/hooks, .vscode, .idea, .mcp.json and " +
    ".agents not even there. Nothing goes on running afterwards, except with background: true, for servers and long work: " +
    "that returns a commandId and the first output at once, and the command goes on until stop_command. You are told when " +
    "it ends, so do not poll or sleep. Use the filesystem tool to read and change single files.",
  effect: ({ command }) => (commandRisk(command).risk === "low" ? "read" : "write"),
  riskOf: ({ command }) => commandRisk(command),
  retry: "unsafe",
  // Output may come from anywhere: a cloned project, a downloaded file.
  trust: "untrusted",
  // Commands of one turn may build on each other.
  parallel: false,
  streaming: true,
  // What went wrong is usually at the end.
  shown: { characters: 30_000, head: 0.2 },
  // Above the largest `timeoutSeconds`, which is the limit that counts.
  timeoutMs: (MAX_TIMEOUT_SECONDS + 15) * 1_000,
  spellings: { timeout: "timeoutSeconds" },
  input: z.object({
    command: z
      .string()
      .min(1)
      .max(10_000)
      .refine((command) => !command.includes("\0"), "must not hold a NUL character")
      .describe("The command line, as you would type it into a shell"),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(MAX_TIMEOUT_SECONDS)
      .default(30)
      .describe("Seconds after which it is stopped, with everything that it started"),
    cwd: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe(
        "The directory to run in, relative to the working folder; the working folder itself when left out",
      ),
    background: z
      .boolean()
      .optional()
      .describe(
        "Let it go on running, also after this turn; read it with command_output, end it with stop_command",
      ),
  }),
  available: ({ roots, sandbox }) => roots.length > 0 && sandbox !== undefined && sandbox.tier !== "none",
  mustAsk: (_, { sandbox }) => (sandbox?.tier === "bare" ? because("no_sandbox") : undefined),
  // What only reads gets no network.
  alsoSends: ({ command }, { commands }) =>
    (commands?.hosts.length ?? 0) > 0 && commandRisk(command).risk !== "low",
  preview: ({ command, cwd, background }) => {
    const where = [
      ...(cwd === undefined ? [] : [`in ${showPath(cwd)}`]),
      ...(background ? ["in the background"] : []),
    ];
    return [worstFirst(command), ...(where.length === 0 ? [] : [where.join(", ")])].join("\n\n");
  },
  async run({ command, timeoutSeconds, cwd, background }, context): Promise<ToolOutput> {
    const { roots, sandbox, signal } = context;
    if (sandbox === undefined || sandbox.tier === "none") {
      throw new Failure("FORBIDDEN", "Commands cannot run here: there is no sandbox for them.");
    }
    const directory = await workingDirectory(roots, cwd ?? ".");
    // What was judged to only read cannot write either.
    const readOnly = commandRisk(command).risk === "low";
    if (!readOnly)
      await context.undo?.record({
        summary: `run ${oneLine(command)}`,
        reversible: false,
        data: { command },
      });
    await recordCommand(context, command, { readOnly, background });
    const reached = readOnly ? [] : (context.commands?.hosts ?? []);
    // Without network, the output comes from the workspace.
    const origin = reached.length === 0 ? ({ origin: "workspace" } as const) : {};
    const order = { command, cwd: directory, readOnly };
    const before = readOnly ? undefined : await snapshotLater(roots);
    if (background) {
      if (!context.commands)
        throw new Failure("INVALID_INPUT", "Commands cannot go on in the background here.");
      const started = before && { ...order, atEnd: () => laterNote(before) };
      const data = await backgroundResult(context, context.commands.background, started ?? order);
      return { output: JSON.stringify(data), data, ...origin };
    }
    const result = await runCommand(
      { ...context, sandbox },
      {
        ...order,
        timeoutMs: timeoutSeconds * 1_000,
        signal,
        onOutput: (stream, chunk) =>
          context.progress({ message: "Running the command", phase: stream, chunk }),
      },
    ).catch(async (thrown: unknown) => {
      if (before) noteLater(context, await settleLater(command, before, context, true));
      throw thrown;
    });
    const later = before && (await settleLater(command, before, context, result.timedOut));
    if (later) noteLater(context, later);
    if (result.timedOut) throw timedOut(timeoutSeconds, result);
    const data = commandResult(result, later);
    const created = result.created.filter((path) => existsSync(path));
    if (created.length > 0) context.show({ type: "warning", ...createdWarning(created) });
    for (const warning of later ? laterWarnings(later) : []) context.show({ type: "warning", ...warning });
    if (result.denied.length > 0) context.show({ type: "warning", ...deniedWarning(result.denied) });
    return { output: JSON.stringify(data), data, ...origin };
  },
});

/** What a person should look at before they open an editor or run Git in the folder. */
function createdWarning(created: readonly string[]) {
  const names = created.map((path) =>
    path
      .split("/")
      .slice(path.endsWith("hooks") ? -2 : -1)
      .join("/"),
  );
  return {
    code: "SENSITIVE_FILE",
    message: `The command created ${names.join(", ")}. Editors and Git can run what is in there: look at it first.`,
  };
}

/** What the person can allow, if they want to. */
function deniedWarning(denied: readonly string[]) {
  const message = `The command may not reach ${denied.join(", ")}. To allow it, add it to TACKLE_SANDBOX_HOSTS.`;
  return { code: "HOST_DENIED", message };
}

function oneLine(command: string): string {
  return cutText(visibleText(command).replaceAll(/\s+/g, " ").trim(), SUMMARY_CHARACTERS);
}

function timedOut(seconds: number, { stdout, stderr }: CommandEnd): Failure {
  const message =
    `The command did not finish within ${seconds} s and was stopped with everything it had started; what it had ` +
    `changed by then stays. Give it more time (timeoutSeconds, at most ${MAX_TIMEOUT_SECONDS}) or less to do.`;
  const printed = [stdout, stderr].map((text) => text.trim().slice(-SHOWN_OF_TIMEOUT)).filter(Boolean);
  const output = printed.length > 0 ? ` What it had printed ends with:\n${printed.join("\n")}` : "";
  // A retry could do half of its work twice.
  return new Failure("TOOL_TIMEOUT", message + output, { retryable: false, untrusted: output !== "" });
}

/** Resolves the working directory: a folder inside the roots, with no link on the way. */
async function workingDirectory(roots: readonly string[], path: string): Promise<string> {
  try {
    const place = await resolveInside(roots, path);
    const folder = await openFolder(roots, path);
    await folder.close();
    return join(place.root, ...place.names);
  } catch (error) {
    throw pathFailure(error, showPath(path));
  }
}
