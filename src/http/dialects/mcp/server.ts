import { McpServer } from "@modelcontextprotocol/server";
import type { McpTaskRows, TaskLease } from "../../../protocol/mcp-tasks.ts";
import type { OfferChange, Offerings } from "../../../protocol/offerings.ts";
import type { PastResults } from "../../../protocol/past-results.ts";
import type { Principal } from "../../../protocol/principal.ts";
import type { Tool, ToolOutput, ToolProgress } from "../../../protocol/tool.ts";
import { addOfferings, addSubscriptions, offerContext, type RunOpen } from "./offerings.ts";
import type { ClientContext } from "./open-call.ts";
import type { OpenCalls } from "./open-calls.ts";
import { addTasks } from "./task-requests.ts";
import { TASKS, type TaskKeeper } from "./tasks.ts";
import { addTools, capabilitiesOf, signalsOf } from "./tools.ts";

/** A call from another program's model. */
export interface McpToolCall {
  principal: Principal;
  name: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
  /** The id of the HTTP request; undefined over stdio. */
  requestId: string | undefined;
  /** Earlier results of this connection. */
  pastResults: PastResults;
  /** Asks the person through that program; undefined where it cannot do that. */
  ask?: ((question: string) => Promise<boolean>) | undefined;
  /** What the tool may ask that program. */
  forTool: ClientContext;
  progress(progress: ToolProgress): void;
  /** The same whenever the call starts again. */
  callId: string;
  /** Called right before the tool runs. */
  started(): void;
}

/** What the MCP server needs. It has no other access to tools. */
export interface McpDependencies {
  version: string;
  /** The tools that are offered to this person, always in the same order. */
  tools(principal: Principal): Tool[];
  /** Runs a tool behind the guard, if the policy or the person allows it. Throws `Failure`. */
  call(call: McpToolCall): Promise<Pick<ToolOutput, "output" | "data" | "images" | "content">>;
  offerings: Offerings;
  /** Removes secrets from a text that leaves without being a result. */
  hide(text: string): string;
  /** Calls that continue without a connection. */
  tasks: McpTaskRows;
  /** Names this process, and how long it may be silent before others take over its tasks. */
  lease: TaskLease;
  /** Signs what clients keep for us. The same on every instance. */
  stateKey: Uint8Array;
  /** Calls back when something on offer changes. Returns a function that stops it. */
  onChange(callback: (change: OfferChange) => void): () => void;
}

export interface McpCaller {
  principal: Principal;
  pastResults: PastResults;
  openCalls: OpenCalls;
  taskKeeper: TaskKeeper;
  /** The protocol without a handshake, which has tasks. */
  modern: boolean;
  /** Aborts when the caller is gone. */
  gone?: AbortSignal;
}

/** An MCP server whose tools are ours. The library reads their schemas to check headers. */
class OwnServer extends McpServer {
  readonly #schemaOf: (name: string) => Record<string, unknown> | undefined;

  constructor(
    info: ConstructorParameters<typeof McpServer>[0],
    options: ConstructorParameters<typeof McpServer>[1],
    schemaOf: (name: string) => Record<string, unknown> | undefined,
  ) {
    super(info, options);
    this.#schemaOf = schemaOf;
  }

  override toolInputSchemaJson(name: string) {
    return this.#schemaOf(name);
  }
}

/** An MCP server for one caller, and what tells the caller about changes. */
export interface OwnMcpServer {
  server: McpServer;
  /** Notifies the client of every change. Returns a function that stops it. */
  announceChanges(): () => void;
}

/** Creates an MCP server with our tools, prompts and resources for one caller. Each connection needs its own. */
export function createMcpServer(parts: McpDependencies, caller: McpCaller): OwnMcpServer {
  const { openCalls, principal } = caller;
  const own = new OwnServer(
    { name: "tackle", title: "Tackle", version: parts.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        ...(caller.modern ? { extensions: { [TASKS]: {} } } : {}),
      },
      requestState: { verify: openCalls.verify },
    },
    (name) => parts.tools(principal).find((tool) => tool.name === name)?.parameters,
  );
  const { server } = own;
  const restart = addTools(server, parts, caller);
  if (caller.modern)
    addTasks(server, caller.taskKeeper, principal.id, restart, (context) => capabilitiesOf(server, context));
  const run: RunOpen = (context, subject, work) =>
    openCalls.serve(context, {
      userId: principal.id,
      subject,
      capabilities: capabilitiesOf(server, context),
      signals: signalsOf(context, caller),
      repeatable: true,
      run: (open, forTool) => work(offerContext(caller, open.stop.signal, forTool)),
    });
  addOfferings(server, parts, caller, run);
  const follows = addSubscriptions(server);

  return {
    server: own,
    announceChanges: () =>
      announceOnce(parts, (change) => {
        if (typeof change !== "string")
          return follows(change.uri) ? server.sendResourceUpdated({ uri: change.uri }) : undefined;
        if (change === "tools") return server.sendToolListChanged();
        return change === "prompts" ? server.sendPromptListChanged() : server.sendResourceListChanged();
      }),
  };
}

/** Many things change at once. One notification of each is enough. */
export function announceOnce(
  parts: Pick<McpDependencies, "onChange">,
  tell: (change: OfferChange) => Promise<void> | void | undefined,
): () => void {
  const waiting = new Map<string, OfferChange>();
  return parts.onChange((change) => {
    if (waiting.size === 0)
      setImmediate(() => {
        const changes = [...waiting.values()];
        waiting.clear();
        // The client may be gone.
        for (const one of changes) Promise.resolve(tell(one)).catch(() => undefined);
      });
    waiting.set(typeof change === "string" ? change : `uri ${change.uri}`, change);
  });
}
