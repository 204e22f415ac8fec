import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDrafts } from "../accounts/drafts.ts";
import { createPrompts } from "../accounts/prompts.ts";
import { createChatLimits, createUploadLimit } from "../guard/allowances.ts";
import { scanInSlices } from "../guard/injection/scan.ts";
import { hideInText } from "../guard/redact/hide.ts";
import { createIdentity } from "../http/caller.ts";
import type { Presence } from "../http/presence.ts";
import { createReadiness } from "../http/readiness.ts";
import { createHttpServer, type HttpServer } from "../http/server.ts";
import { createAdministration } from "../observe/administration.ts";
import { createAuditReader } from "../observe/audit/read.ts";
import type { Accounts } from "../protocol/accounts.ts";
import type { ArtifactEndpoint } from "../protocol/artifacts.ts";
import { missingPackage } from "../protocol/optional-package.ts";
import { createAccountFeed } from "../runs/account-feed.ts";
import { createAlways } from "../runs/always.ts";
import { ownRun } from "../runs/ownership.ts";
import { createShares } from "../runs/shares.ts";
import type { Config } from "./config.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";
import { openAccounts } from "./open-accounts.ts";
import type { Peers } from "./processes/peers.ts";
import { reachAll } from "./reach.ts";
import type { Tackle } from "./tackle.ts";

export interface OpenedServer {
  server: HttpServer;
  accounts: Accounts | undefined;
  mcp: ReturnType<typeof mcpEndpoint>;
  closeAccounts(): Promise<void>;
}

/** Creates the HTTP server in front of the app. It does not listen yet. */
export async function openServer(tackle: Tackle, presence?: Presence, peers?: Peers): Promise<OpenedServer> {
  const { config, store, feed, log, limits } = tackle;
  const { accounts, authMethods, close: closeAccounts } = await openAccounts(tackle);
  const mcp = mcpEndpoint(tackle);
  const artifacts = await openArtifacts(tackle);
  const server = createHttpServer({
    config,
    log,
    identity: createIdentity({ auth: config.auth, guestSecret: guestSecret(config, tackle), authMethods }),
    accounts,
    personalSettings: tackle.personalSettings,
    drafts: createDrafts(store),
    administration: createAdministration({
      store,
      config,
      ledger: tackle.ledger,
      personal: limits.personal,
      budgets: limits.budgets,
      offers: tackle.modelOffers,
      models: () => tackle.models.list(),
      cancelRun: tackle.cancelRun,
    }),
    audit: tackle.audit,
    auditReader: createAuditReader(store),
    noteError: tackle.ledger.noteError,
    admit: tackle.suspensions.admit,
    push: tackle.push,
    presence,
    artifacts,
    shares: createShares({
      store,
      files: tackle.files,
      artifacts,
      key: tackle.keyFor("share links"),
      hideKeys: hideInText,
      nameOf: async (userId) => (await accounts?.get(userId))?.name || undefined,
      admit: tackle.suspensions.admit,
      importSessions: (principal, document) => tackle.chatFor(principal, "http").importSessions(document),
    }),
    apps: tackle.apps,
    addedTools: tackle.addedTools,
    modelServers: tackle.modelServers,
    policy: tackle.policy,
    always: createAlways(store),
    prompts: createPrompts(store),
    files: tackle.files,
    takeUpload: createUploadLimit(store, config),
    limits: createChatLimits(store, config, limits.personal),
    takeByAddress: (name, client) => limits.takeByAddress(tackle.registry.get(name), client),
    throttle: limits.throttle,
    chatFor: tackle.chatsAt("http"),
    projectsFor: tackle.projectsFor,
    turnsFor: (principal) => tackle.turnsFor(principal),
    feed,
    accountFeed: createAccountFeed(store),
    ownRun: (principal, runId) => ownRun(store, principal, runId),
    callTool: tackle.callTool,
    mcp,
    cleanError: tackle.cleanError,
    scan: scanInSlices,
    ready: createReadiness({
      store,
      model: () => tackle.models.defaultId(),
      cleanError: tackle.cleanError,
      reachAll: () => reachAll(tackle),
    }),
    stats: async () => ({ ...(await store.stats()), ownedRuns: tackle.activeRuns() }),
    allProcesses: peers?.metrics,
    runMetrics: tackle.metrics,
    waits: tackle.waits,
    guardMetrics: {
      subscribe: limits.statistics.subscribe,
      breakers: () => limits.breakers.list(),
    },
  });
  return { server, accounts, mcp, closeAccounts };
}

/** Artifacts need optional packages. Without them, none are shown. */
async function openArtifacts({ artifacts }: Tackle): Promise<ArtifactEndpoint | undefined> {
  try {
    const { createArtifactEndpoint } = await import("../tools/artifacts/pages.ts");
    return createArtifactEndpoint(artifacts);
  } catch (thrown) {
    if (missingPackage(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** The secret that signs guest tokens. It is in the data directory, readable only by its owner, unless it is a setting. */
function guestSecret({ dataDir, secret }: Config, tackle: Tackle): string | Uint8Array {
  if (secret !== undefined) return tackle.keyFor("guest tokens");
  const path = join(dataDir, "guest.key");
  if (!existsSync(path))
    writeFileSync(path, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  chmodSync(path, 0o600);
  return readFileSync(path, "utf8").trim();
}
