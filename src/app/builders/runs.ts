import { createSuspensions, type Suspensions } from "../../accounts/suspensions.ts";
import { createVault } from "../../accounts/vault.ts";
import { imageBytes } from "../../contain/image.ts";
import { refuseInnerImages } from "../../contain/image-addresses.ts";
import { createReadByCommand } from "../../contain/read-by-command.ts";
import { createUserFiles } from "../../files/user-files.ts";
import { ModelMemories } from "../../loop/estimate.ts";
import { createPush } from "../../notify/push.ts";
import { createWebhook } from "../../notify/webhook.ts";
import { tracedGuard } from "../../observe/trace/traced-guard.ts";
import { traceTurn } from "../../observe/trace/traced-turn.ts";
import type { AppEndpoint } from "../../protocol/apps.ts";
import type { CallContexts } from "../../protocol/call-context.ts";
import type { Chat } from "../../protocol/chat.ts";
import { encodingOf, isOfficeType } from "../../protocol/file-type.ts";
import type { Files, StoredFile } from "../../protocol/files.ts";
import type { Feed } from "../../protocol/journal.ts";
import type { Push } from "../../protocol/notices.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Projects } from "../../protocol/projects.ts";
import { parseTraceparent } from "../../protocol/trace-context.ts";
import type { Turns } from "../../protocol/turns.ts";
import type { Workspace } from "../../protocol/workspace.ts";
import { createApps } from "../../runs/apps.ts";
import { isTextType } from "../../runs/attachments.ts";
import { createTurns } from "../../runs/dialect-turns.ts";
import {
  callDirectly,
  type DirectCallOptions,
  type DirectCallParts,
  type DirectResult,
} from "../../runs/direct-call.ts";
import { startFileEmbedder } from "../../runs/embed-files.ts";
import type { TextOfFile } from "../../runs/file-pieces.ts";
import { createLocalChat, localChatsAt } from "../../runs/local-chat.ts";
import { createMeaning, type Meaning } from "../../runs/meaning.ts";
import { createProjects } from "../../runs/projects.ts";
import { Runner, type RunnerParts } from "../../runs/runner.ts";
import type { FileReaders } from "../../runs/turn-files.ts";
import type { ContextParts } from "../../runs/turn-parts.ts";
import { createFeed } from "../../store/feed.ts";
import { createJournal } from "../../store/journal.ts";
import { convertPage } from "../../tools/builtin/web_fetch/convert.ts";
import { createWorkspace } from "../../workspace/workspace.ts";
import type { Closing } from "../closing.ts";
import type { Config } from "../config.ts";
import type { OwnParts } from "../tackle.ts";
import { listToolsFor } from "../tool-listings.ts";
import type { Data } from "./data.ts";
import type { Guards } from "./guards.ts";
import type { Models } from "./models.ts";
import type { Observers } from "./observers.ts";
import type { Tools } from "./tools.ts";

const CLOSE_GRACE_MS = 3_000;

/** What people can do: run turns, follow them, call tools. */
export interface Runs {
  push: Push;
  feed: Feed;
  suspensions: Suspensions;
  workspace: Workspace;
  /** `entrance` is where the person comes in, for the audit log. */
  chatFor(principal: Principal, entrance?: string): Chat;
  /** The same for everybody who comes in there. */
  chatsAt(entrance: string): (principal: Principal) => Chat;
  turnsFor(principal: Principal): Turns;
  projectsFor(principal: Principal): Projects;
  /** Runs one tool behind all layers. The person makes the call, so no approval is needed. Throws `Failure`. */
  callTool(
    principal: Principal,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    options?: DirectCallOptions,
  ): Promise<DirectResult>;
  /** The interfaces of tools. */
  apps: AppEndpoint;
  cancelRun(runId: string): Promise<void>;
  activeRuns(): number;
  /** Takes over runs that were released, without waiting for the next heartbeat. */
  takeOver(): Promise<void>;
  /** Leaves released runs to others. */
  retire(): void;
  /** Starts nothing new, gives active runs this long to end, and releases the rest. */
  handOver(graceMs: number): Promise<void>;
}

interface Rooms {
  data: Data;
  observers: Observers;
  tools: Tools;
  guards: Guards;
  models: Models;
}

/** Starts working on runs, first on those that an earlier process left unfinished. */
export async function startRuns(
  config: Config,
  own: OwnParts,
  rooms: Rooms,
  callContexts: CallContexts,
  closing: Closing,
): Promise<Runs> {
  const { store, audit, files, log, owner } = rooms.data;
  const { guard, limits } = rooms.guards;
  const { keysOf, modelsFor, catalogue: models } = rooms.models;
  const { registry } = rooms.tools;
  const { metrics, ledger, tracer, waits } = rooms.observers;
  const journal = createJournal(store, { onBroken: (runId) => runner.abandon(runId) });
  const feed = createFeed(store, journal);
  const suspensions = createSuspensions({
    store,
    async end(userId) {
      own.endConnections?.(userId);
      for (const runId of await store.activeRuns(userId)) await runner.cancel(runId);
    },
  });
  const userFiles: RunnerParts["userFiles"] = (principal, sessionId, run) =>
    createUserFiles({ files, store }, principal, sessionId, run);
  const readByCommand = createReadByCommand(callContexts.contextFor({ id: "local", kind: "owner" }));
  const workspace = createWorkspace({ ...config, trustAll: config.trustRoots, store, readByCommand });
  const contexts = contextsOf(rooms);
  const meaning = openMeaning(config, rooms);
  const turns = { registry, callContexts, keysOf, workspace, contexts };
  const shared = { store, files, userFiles, models, modelsFor, ...turns };
  const { push, notify, settingOf } = openNotices(config, rooms.data, closing);
  const runner: Runner = new Runner(
    {
      ...shared,
      settings: config,
      fileReaders,
      meaning,
      journal,
      guard,
      budgets: limits.budgets,
      ...(config.settings.TACKLE_TITLE_MODEL === "off" ? {} : { askFor: rooms.models.sideModels.askFor }),
      log,
      admit: suspensions.admit,
      note: metrics.note,
      noteError: ledger.noteError,
      notify,
      settingOf,
      duringRequest: waits.during,
      record: own.recorder?.record,
      trace: tracer && ((turn, run, traceparent, work) => traceTurn(tracer, turn, run, traceparent, work)),
    },
    owner,
  );
  const handOver = async (graceMs: number) => {
    await runner.drain(graceMs);
    await runner.close();
  };
  const closed = new AbortController();
  closing.add(() => closed.abort());
  closing.add(() => handOver(CLOSE_GRACE_MS));
  await runner.recover();
  const projectsFor = openProjects(config, rooms, own.beside ? undefined : meaning, closing);
  const toolsFor = (principal: Principal) => listToolsFor(config, rooms, principal);
  const direct = directCallsOf(rooms, callContexts);
  const callTool: Runs["callTool"] = (...call) => callDirectly(direct, ...call);
  const parts = {
    ...shared,
    audit,
    system: own.system,
    budgets: limits.budgets,
    feed,
    closed: closed.signal,
    runner,
    toolsFor,
    callTool,
    checkImageAddresses: refuseInnerImages,
    during: waits.during,
    vault: createVault(rooms.data.keyFor("what clients keep")),
  };
  return {
    push,
    feed,
    suspensions,
    workspace,
    chatFor: (principal, entrance) => createLocalChat(parts, principal, entrance),
    chatsAt: (entrance) => localChatsAt(parts, entrance),
    turnsFor: (principal) => createTurns(parts, principal),
    projectsFor,
    callTool,
    apps: openApps(rooms, direct),
    cancelRun: (runId) => runner.cancel(runId),
    activeRuns: () => runner.activeRuns,
    takeOver: () => runner.takeOver(),
    retire: () => {
      runner.claimFrom = Number.POSITIVE_INFINITY;
    },
    handOver,
  };
}

function contextsOf({ guards, models }: Rooms): ContextParts {
  return {
    memoryOf: new ModelMemories().of,
    labels: guards.guard.labels,
    summarizer: models.sideModels.summarizer,
  };
}

function openApps({ data, tools }: Rooms, direct: DirectCallParts): AppEndpoint {
  return createApps({
    ...direct,
    store: data.store,
    servers: tools.external.mcp.apps,
    key: data.keyFor("app pages"),
  });
}

/** What tells the meaning of texts, if the operator has chosen a model for it. */
function openMeaning({ embeddingModel }: Config, { data, guards, models }: Rooms): Meaning | undefined {
  if (embeddingModel === undefined) return undefined;
  const { budgets } = guards.limits;
  const { catalogue, keysOf } = models;
  return createMeaning({ store: data.store, budgets, models: catalogue, keysOf }, embeddingModel);
}

/** Returns people's projects. With `meaning`, their files are embedded in the background. */
function openProjects(
  { leaseMs }: Config,
  { data: { store, files, log } }: Rooms,
  meaning: Meaning | undefined,
  closing: Closing,
): Runs["projectsFor"] {
  const embedder = meaning && startFileEmbedder({ store, meaning, leaseMs, log });
  if (embedder) closing.add(() => embedder.close());
  const textOf: TextOfFile = (file, signal) => fileText(files, file, signal);
  const onText = () => embedder?.wake();
  return (principal) => createProjects({ store, files, textOf, onText }, principal);
}

function directCallsOf(
  { data, observers, tools, guards }: Rooms,
  callContexts: CallContexts,
): DirectCallParts {
  const { guard, limits } = guards;
  const { tracer, waits } = observers;
  return {
    guard: { ...guard, execute: (call, run) => waits.during(() => guard.execute(call, run)) },
    registry: tools.registry,
    callContexts,
    store: data.store,
    verdictOf: limits.verdictOf,
    traceGuard: tracer && traceGuardWith(tracer),
  };
}

/** Opens the ways in which people and the operator are told what happens. */
function openNotices(config: Config, { store, log, keyFor }: Data, closing: Closing) {
  const { publicUrl, pushAllow, webhookUrl: url, webhookSecret } = config;
  // Push services refuse a subject that is no address. A server without a public address names nobody.
  const subject = publicUrl?.startsWith("https:") ? publicUrl : "mailto:nobody@example.com";
  const push = createPush({ store, log, key: keyFor("push notices"), allow: pushAllow, subject });
  const webhook = url === undefined ? undefined : createWebhook({ store, log, url, secret: webhookSecret });
  if (!webhook) return { push, notify: push.send };
  closing.add(() => webhook.close());
  const notify: RunnerParts["notify"] = (notice) => {
    void push.send(notice);
    webhook.send(notice);
  };
  return { push, notify, settingOf: webhook.settingOf };
}

const fileReaders: FileReaders = {
  readImage: imageBytes,
  /** Runs in a separate thread, so that no file can block the server. */
  async readPdf(bytes, signal) {
    const page = await convertPage({ url: "", contentType: "application/pdf", body: bytes }, signal);
    return page ? [page.text, ...page.notes].join("\n\n") : "";
  },
  async readOffice(bytes, mimeType, signal) {
    const page = await convertPage({ url: "", contentType: mimeType, body: bytes }, signal);
    return page ? [page.text, ...page.notes].join("\n\n") : "";
  },
};

/** The text of an uploaded file. PDFs and Office documents are read in a separate thread. */
async function fileText(files: Files, file: StoredFile, signal: AbortSignal): Promise<string | undefined> {
  if (!isTextType(file.mimeType)) return undefined;
  const bytes = await files.read(file);
  if (file.mimeType === "application/pdf") return fileReaders.readPdf(bytes, signal);
  if (isOfficeType(file.mimeType)) return fileReaders.readOffice?.(bytes, file.mimeType, signal);
  return new TextDecoder(encodingOf(file.mimeType)).decode(bytes);
}

function traceGuardWith(tracer: NonNullable<Observers["tracer"]>) {
  return (guard: Guards["guard"], { requestId, traceparent }: DirectCallOptions) =>
    tracedGuard(tracer, guard, parseTraceparent(traceparent), { "tackle.request.id": requestId });
}
