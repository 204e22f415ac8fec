import type { Logger } from "pino";
import type { PersonalSettingsAndKeys } from "../accounts/personal-settings.ts";
import { createUserFiles } from "../files/user-files.ts";
import { cleanFailure } from "../guard/errors.ts";
import type { Policy } from "../guard/policy.ts";
import { behindBreakers } from "../guard/tool-breakers.ts";
import type { Recorder } from "../observe/recordings/record.ts";
import type { RunMetrics } from "../observe/run-metrics.ts";
import type { UsageLedger } from "../observe/usage-ledger.ts";
import type { AddedTools } from "../protocol/added-tools.ts";
import type { Audit } from "../protocol/audit.ts";
import type { CallContexts } from "../protocol/call-context.ts";
import type { ModelCatalogue } from "../protocol/catalogue.ts";
import type { Failure } from "../protocol/failure.ts";
import type { Files } from "../protocol/files.ts";
import type { Model } from "../protocol/model.ts";
import type { ModelOffers } from "../protocol/model-offers.ts";
import type { ModelServers } from "../protocol/model-servers.ts";
import type { Offerings } from "../protocol/offerings.ts";
import type { PolicyBook } from "../protocol/policy-book.ts";
import type { Provider } from "../protocol/provider.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Store } from "../protocol/store.ts";
import type { Sandbox, Tool } from "../protocol/tool.ts";
import type { RequestWaits } from "../protocol/waits.ts";
import { type ArtifactLibrary, createArtifactLibrary } from "../tools/artifacts/library.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { ApiTools } from "../tools/openapi/tools.ts";
import { type Data, openData } from "./builders/data.ts";
import { createGuards, type Guards } from "./builders/guards.ts";
import { type Models, openModels } from "./builders/models.ts";
import { startObservers } from "./builders/observers.ts";
import { type Runs, startRuns } from "./builders/runs.ts";
import { openTools, type Tools } from "./builders/tools.ts";
import { notePolicy, recordChangedPolicy } from "./changed-settings.ts";
import { createClosing } from "./closing.ts";
import type { Config } from "./config.ts";
import { openOfferings } from "./offerings.ts";
import { createPolicyBook, openPolicy } from "./policy-book.ts";
import type { Peers } from "./processes/peers.ts";
import type { ToolLimits } from "./tool-limits.ts";
import { toolSettings } from "./tool-settings.ts";

/** The whole product in one process, without a server in front of it. */
export interface Tackle extends Runs {
  readonly config: Config;
  readonly store: Store;
  readonly audit: Audit;
  readonly models: ModelCatalogue;
  readonly modelOffers: ModelOffers;
  readonly modelServers: ModelServers;
  readonly registry: Registry;
  /** The MCP servers whose tools are in the registry. */
  readonly mcp: McpServers;
  /** The tools that OpenAPI documents describe. */
  readonly apis: ApiTools;
  readonly addedTools: AddedTools;
  /** How commands are confined on this machine. */
  readonly sandbox: Sandbox;
  readonly limits: ToolLimits;
  readonly metrics: RunMetrics;
  readonly ledger: UsageLedger;
  readonly waits: RequestWaits;
  readonly files: Files;
  readonly log: Logger;
  readonly personalSettings: PersonalSettingsAndKeys;
  readonly artifacts: ArtifactLibrary;
  readonly policy: PolicyBook;
  /** Prompts and resources for other programs. */
  readonly offerings: Offerings;
  /** Derives a key for one purpose from the server's secret. */
  keyFor(purpose: string): Buffer;
  cleanError(thrown: unknown): Failure;
  /** Ends a person's connections, and removes what their commands have left outside of their folders. */
  removeHomes(userId: string): Promise<void>;
  /** Adds something to close before everything else is closed. */
  beforeClose(close: () => unknown): void;
  close(): Promise<void>;
}

/** What the program that starts the app adds to it. */
export interface OwnParts {
  /** Cuts the open connections of a suspended user. */
  endConnections?(userId: string): void;
  tools?: readonly Tool[];
  /** They replace our vendors with the same id. */
  providers?: readonly Provider[];
  models?: readonly Model[];
  /** The built-in tools that are offered. All of them by default. */
  builtInTools?: readonly string[];
  /** Replaces our own system prompt. */
  system?: string;
  /** Replaces the policy file. */
  policy?: Policy;
  /** Records every run. */
  recorder?: Recorder;
  /** If another process has the data directory, work beside it: for one person's own terminals. */
  beside?: boolean;
  /** The other processes that share the data directory and the port. */
  peers?: Peers;
  /** A file in the data directory for the log, where standard error is a person's screen. */
  logFile?: string;
}

/** Puts the rooms together and continues the runs that an earlier process left unfinished. */
export async function createTackle(config: Config, own: OwnParts = {}): Promise<Tackle> {
  const closing = createClosing();
  try {
    const data = await openData(config, closing, own);
    const observers = startObservers(config, data, closing);
    const tools = await openTools(config, own, data, closing);
    const policy = openPolicy(config.policyFile, own.policy, {
      onProblem: (line) => data.log.warn(line),
      onFollowed: () =>
        void recordChangedPolicy({ config, ...data }).catch((err) =>
          data.log.warn({ err }, "could not write down that the policy has changed"),
        ),
    });
    closing.add(() => policy.close());
    const guards = createGuards(config, policy.current, data, observers, own.peers);
    const models = await openModels(config, own, data, observers, guards, closing);
    const artifacts = createArtifactLibrary({ store: data.store, key: data.keyFor("artifact previews") });
    const contexts = fullContexts(config, data, tools, guards, models, artifacts);
    const rooms = { data, observers, tools, guards, models };
    const runs = await startRuns(config, own, rooms, contexts, closing);
    const offerings = await openOfferings({
      dataDir: config.dataDir,
      workspace: runs.workspace,
      files: data.files,
      artifacts,
      store: data.store,
      onProblem: (line) => data.log.warn(line),
    });
    closing.add(() => offerings.close());
    return {
      ...runs,
      config,
      store: data.store,
      audit: data.audit,
      files: data.files,
      log: data.log,
      keyFor: data.keyFor,
      models: models.catalogue,
      modelOffers: models.offers,
      modelServers: models.servers,
      personalSettings: models.personalSettings,
      registry: tools.registry,
      mcp: tools.external.mcp,
      apis: tools.external.apis,
      addedTools: tools.external.added,
      sandbox: tools.contexts.sandbox,
      limits: guards.limits,
      metrics: observers.metrics,
      ledger: observers.ledger,
      waits: observers.waits,
      artifacts,
      offerings,
      policy: createPolicyBook(policy, tools.registry, contexts, (hash) => notePolicy(data.store, hash)),
      removeHomes: async (userId) => {
        await tools.external.mcp.leave(userId);
        await tools.contexts.removeHomes?.(userId);
      },
      cleanError: cleanFailure,
      beforeClose: closing.add,
      close: closing.closeAll,
    };
  } catch (thrown) {
    await closing.closeAll();
    throw thrown;
  }
}

/** The contexts of calls, with the caller's settings, files and artifacts and a way to ask models. */
function fullContexts(
  config: Config,
  { files, store, audit }: Data,
  { contexts }: Tools,
  { limits }: Guards,
  { sideModels, keysOf }: Models,
  artifacts: ArtifactLibrary,
): CallContexts {
  const settingsFor = toolSettings(config, keysOf);
  return {
    sandbox: contexts.sandbox,
    rootsOf: contexts.rootsOf,
    background: contexts.background,
    contextFor(principal, chatModel) {
      const spending = { usage: { inputTokens: 0, outputTokens: 0 } };
      return {
        ...contexts.contextFor(principal),
        ...settingsFor(principal),
        spending,
        audit,
        behindBreaker: behindBreakers(limits.breakers, principal),
        askModel: sideModels.askFor(principal, chatModel, spending),
        artifacts: artifacts.of(principal),
        files: createUserFiles({ files, store }, principal),
      };
    },
  };
}
