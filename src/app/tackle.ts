import { mkdirSync } from "node:fs";
import type { Logger } from "pino";
import { createPersonalSettings, type PersonalSettingsAndKeys } from "../accounts/personal-settings.ts";
import { deriveKey, readSecret } from "../accounts/secret.ts";
import { createSuspensions, type Suspensions } from "../accounts/suspensions.ts";
import { createVault } from "../accounts/vault.ts";
import { openFiles } from "../files/open-files.ts";
import { createUserFiles } from "../files/user-files.ts";
import { guardedModel } from "../guard/breaker-model.ts";
import { cleanFailure } from "../guard/errors.ts";
import { injectionLayer } from "../guard/injection/layer.ts";
import { scanOutput } from "../guard/injection/output.ts";
import { createGuard } from "../guard/pipeline.ts";
import type { Policy } from "../guard/policy.ts";
import { knowSecrets, notePassingSecrets } from "../guard/redact/known.ts";
import { createModelCatalogue, readProviders } from "../models/catalogue.ts";
import { createSideModels } from "../models/side-models.ts";
import { createLog } from "../observe/log.ts";
import type { Recorder } from "../observe/recordings/record.ts";
import { createRunFigures, measuredModel, type RunFigures } from "../observe/run-metrics.ts";
import { createExporter } from "../observe/trace/exporter.ts";
import { tracedModel } from "../observe/trace/traced-model.ts";
import { createTracer } from "../observe/trace/tracer.ts";
import { type Bookkeeping, createBookkeeping } from "../observe/usage-ledger.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { ModelCatalogue } from "../protocol/catalogue.ts";
import type { Chat } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Feed } from "../protocol/journal.ts";
import type { Model, Provider } from "../protocol/model.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Store } from "../protocol/store.ts";
import type { Sandbox, Tool } from "../protocol/tool.ts";
import type { Turns } from "../protocol/turns.ts";
import { createTurns } from "../runs/dialect-turns.ts";
import { callDirectly, type DirectCallOptions, type DirectResult } from "../runs/direct-call.ts";
import { createLocalChat } from "../runs/local-chat.ts";
import { Runner } from "../runs/runner.ts";
import { clearJournals } from "../store/clear-journals.ts";
import { createFeed } from "../store/feed.ts";
import { createJournal } from "../store/journal.ts";
import { joinDataDirectory, lockDataDirectory } from "../store/lock.ts";
import { type ArtifactLibrary, createArtifactLibrary } from "../tools/artifacts/library.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { ApiTools } from "../tools/openapi/tools.ts";
import { createRegistry } from "../tools/registry.ts";
import { searchVendors } from "../tools/search/providers.ts";
import { createCallContexts } from "./call-context.ts";
import type { Config } from "./config.ts";
import { connectProviders } from "./connect-providers.ts";
import { startOutsideTools } from "./external-tools.ts";
import { openStore } from "./open-store.ts";
import { readPolicy } from "./policy-file.ts";
import { secretsIn } from "./secret-settings.ts";
import { createToolLimits, type ToolLimits } from "./tool-limits.ts";
import { toolSettings } from "./tool-settings.ts";

/** The whole product in one process, without a door. */
export interface Tackle {
  readonly config: Config;
  readonly store: Store;
  readonly feed: Feed;
  readonly models: ModelCatalogue;
  readonly registry: Registry;
  /** The MCP servers whose tools are in the registry. */
  readonly mcp: McpServers;
  /** The tools that OpenAPI documents describe. */
  readonly apis: ApiTools;
  /** How commands are confined here. */
  readonly sandbox: Sandbox;
  readonly limits: ToolLimits;
  readonly figures: RunFigures;
  readonly books: Bookkeeping;
  readonly files: Files;
  readonly log: Logger;
  readonly personalSettings: PersonalSettingsAndKeys;
  readonly suspensions: Suspensions;
  readonly artifacts: ArtifactLibrary;
  /** A key for one purpose, from the server's secret. */
  keyFor(purpose: string): Buffer;
  /** The conversations of one person. */
  chatFor(principal: Principal): Chat;
  /** The same for doors that speak other protocols. */
  turnsFor(principal: Principal): Turns;
  /** Runs one tool behind all layers; the call is the person's own act, so nobody is asked. Throws `Failure`. */
  callTool(
    principal: Principal,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    options?: DirectCallOptions,
  ): Promise<DirectResult>;
  cleanError(thrown: unknown): Failure;
  activeRuns(): number;
  /** Begins nothing new, gives runs under way this long to end, and hands over the rest. */
  handOver(graceMs: number): Promise<void>;
  /** Has something closed before the rooms are. */
  beforeClose(close: () => unknown): void;
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 3_000;
/** A signal is worth a few milliseconds, not more: what stands further down is as untrusted without a label. */
const LABELLED_CHARACTERS = 20_000;
const TIDY_MS = 10 * 60_000;

/** What whoever starts the app adds to it. */
export interface OwnParts {
  /** Cuts what is open to a user who is shut out. */
  endConnections?(userId: string): void;
  tools?: readonly Tool[];
  /** They stand in the place of vendors of ours with the same id. */
  providers?: readonly Provider[];
  models?: readonly Model[];
  /** In the place of the policy file. */
  policy?: Policy;
  /** Writes every run down. */
  recorder?: Recorder;
  /** Where another process has the data directory, work beside it: for one person's own terminals. */
  beside?: boolean;
}

/** Puts the rooms together and goes on with what an earlier process left unfinished. */
export async function createTackle(config: Config, own: OwnParts = {}): Promise<Tackle> {
  const closers: (() => unknown)[] = [];
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    const { sole, leave } = enterDataDirectory(config.dataDir, own.beside ?? false);
    closers.push(leave);
    closers.push(knowSecrets(secretsIn(config.settings)));
    const log = createLog(config.logLevel);
    const { store, owner } = await openStore(config, (line) => log.warn(line), sole);
    closers.push(() => store.close());
    const journal = createJournal(store, { onBroken: (runId) => runner.abandon(runId) });
    const feed = createFeed(store, journal);
    const found = await createCallContexts(config);
    const registry = await createRegistry({
      userDir: config.toolsDir,
      settings: { roots: config.roots, env: config.settings, sandbox: found.sandbox },
      onProblem: (line) => log.warn(line),
    });
    closers.push(() => registry.close());
    for (const tool of own.tools ?? []) registry.add(tool, "program");
    const outside = await startOutsideTools({ config, store, registry, onProblem: (line) => log.warn(line) });
    closers.push(() => outside.close());
    const connections = await connectProviders(config, await readProviders(own.providers));
    closers.push(() => connections.close());
    const limits = createToolLimits(store, config, (thrown) =>
      log.warn({ err: thrown }, "the outcome of a call could not be counted"),
    );
    const figures = createRunFigures();
    const exporter =
      config.tracing && createExporter({ ...config.tracing, onProblem: (line) => log.warn(line) });
    closers.push(() => exporter?.close());
    const tracer = exporter && createTracer(exporter);
    const books = createBookkeeping(store, (thrown) =>
      log.warn({ err: thrown }, "what tools did could not be written down"),
    );
    closers.push(() => books.close());
    const watched = (model: Model, vendor: { id: string; label: string }) =>
      guardedModel(measuredModel(model, vendor.id, figures.note), limits.breakers, vendor);
    const models = createModelCatalogue({
      ...connections,
      own: (own.models ?? []).map((model) => watched(model, vendorOf(model))),
      connect: (vendor, info) => watched(connections.connect(vendor, info), vendor.provider),
      preferred: config.model,
      prices: config.prices,
    });
    models.resolve(undefined);
    const guard = createGuard({
      policy: own.policy ?? readPolicy(config.policyFile),
      execution: { timeoutMs: config.toolTimeoutMs, maxOutputCharacters: 100_000 },
      injection: [injectionLayer],
      limits: limits.layers,
      labels: (text) => scanOutput(text.slice(0, LABELLED_CHARACTERS)).labels,
      note(fact, call) {
        limits.statistics.note(fact);
        books.noteCall(fact, call);
      },
    });
    const secret = readSecret(config.dataDir, config.secret);
    const keyFor = (purpose: string) => deriveKey(secret, purpose);
    const modelVendors = models
      .known()
      .flatMap(({ id, label, keySetting }) => (keySetting ? [{ id, label }] : []));
    const vendors = [...modelVendors, ...searchVendors()];
    const personalSettings = createPersonalSettings({
      store,
      vault: createVault(keyFor("stored keys")),
      vendors,
    });
    const keysOf: typeof personalSettings.keysOf = async (userId) => {
      const keys = await personalSettings.keysOf(userId);
      notePassingSecrets(Object.values(keys));
      return keys;
    };
    const sideModels = createSideModels({
      settings: config.settings,
      models,
      keysOf,
      trace: tracer && ((model) => tracedModel(tracer, model, tracer.place())),
    });
    const artifacts = createArtifactLibrary({ store, key: keyFor("artifact previews") });
    const files = openFiles({
      store,
      dataDir: config.dataDir,
      ...config.files,
      key: keyFor("file addresses"),
      onProblem: (thrown) => log.warn({ err: thrown }, "files could not be tidied up"),
    });
    closers.push(tidyFrom(files));
    closers.push(
      clearJournals(store, config.eventsDays, (thrown) =>
        log.warn({ err: thrown }, "events of old runs could not be removed"),
      ),
    );
    const settingsFor = toolSettings(config, keysOf);
    const callContexts: CallContexts = {
      sandbox: found.sandbox,
      contextFor: (principal, chatModel) => {
        const spending = { usage: { inputTokens: 0, outputTokens: 0 } };
        return {
          ...found.contextFor(principal),
          ...settingsFor(principal),
          spending,
          askModel: sideModels.askFor(principal, chatModel, spending),
          artifacts: artifacts.of(principal),
          files: createUserFiles({ files, store }, principal),
        };
      },
    };
    const suspensions = createSuspensions({
      store,
      async end(userId) {
        own.endConnections?.(userId);
        for (const runId of await store.activeRuns(userId)) await runner.cancel(runId);
      },
    });
    const { admit } = suspensions;
    const runner: Runner = new Runner(
      {
        config,
        store,
        files,
        journal,
        models,
        registry,
        guard,
        callContexts,
        budgets: limits.budgets,
        log,
        keysOf,
        admit,
        note: figures.note,
        noteError: books.noteError,
        ...(own.recorder ? { record: own.recorder.record } : {}),
        ...(tracer ? { tracer } : {}),
      },
      owner,
    );
    const handOver = async (graceMs: number) => {
      await runner.drain(graceMs);
      await runner.close();
    };
    closers.push(() => handOver(CLOSE_GRACE_MS));
    await runner.recover();
    const parts = { store, files, feed, runner, registry, models, callContexts, keysOf };
    const direct = { guard, registry, callContexts, verdictOf: limits.verdictOf, store, tracer };

    return {
      config,
      store,
      feed,
      models,
      registry,
      sandbox: found.sandbox,
      limits,
      figures,
      books,
      log,
      personalSettings,
      suspensions,
      artifacts,
      files,
      keyFor,
      chatFor: (principal) => createLocalChat(parts, principal),
      turnsFor: (principal) => createTurns(parts, principal),
      mcp: outside.mcp,
      apis: outside.apis,
      callTool: (principal, name, args, signal, options) =>
        callDirectly(direct, principal, name, args, signal, options),
      cleanError: cleanFailure,
      activeRuns: () => runner.activeRuns,
      handOver,
      beforeClose: (close) => closers.push(close),
      close: closeAll,
    };
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }
}

function enterDataDirectory(directory: string, beside: boolean): { sole: boolean; leave(): void } {
  try {
    return { sole: true, leave: lockDataDirectory(directory) };
  } catch (thrown) {
    if (!beside || !(thrown instanceof Failure) || thrown.code !== "CONFLICT") throw thrown;
    return { sole: false, leave: joinDataDirectory(directory) };
  }
}

/** A model that a program made itself has a breaker by the first part of its id. */
function vendorOf({ id }: Model): { id: string; label: string } {
  const name = id.split("/", 1)[0] ?? id;
  return { id: name, label: name };
}

/** Bytes that could not be removed at once are tried again now and then. Answers how to stop. */
function tidyFrom(files: Files): () => void {
  const timer = setInterval(() => void files.tidy(), TIDY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
