import { join } from "node:path";
import type { Logger } from "pino";
import { deriveKey, readSecret } from "../../accounts/secret.ts";
import { openFiles } from "../../files/open-files.ts";
import { knowSecrets } from "../../guard/redact/known.ts";
import { redact, redactDeep, redactSecrets } from "../../guard/redact/redact.ts";
import { knowUpstreams } from "../../guard/redact/upstreams.ts";
import { AUDIT_KEY, linkWith } from "../../observe/audit/chain.ts";
import { type AuditLog, createAuditLog } from "../../observe/audit/log.ts";
import { createLog } from "../../observe/log.ts";
import type { Audit } from "../../protocol/audit.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Files } from "../../protocol/files.ts";
import type { Store } from "../../protocol/store.ts";
import { joinDataDirectory, lockDataDirectory } from "../../store/lock.ts";
import { startRetention } from "../../store/retention.ts";
import { countFile } from "../../tools/builtin/web_fetch/convert.ts";
import type { Closing } from "../closing.ts";
import type { Config } from "../config.ts";
import { createDataDirectory } from "../data-directory.ts";
import { openStore } from "../open-store.ts";
import { secretsIn, upstreamsIn } from "../secret-settings.ts";
import type { OwnParts } from "../tackle.ts";

/** What is kept: the log, the database and the files. */
export interface Data {
  log: Logger;
  store: Store;
  audit: Audit;
  /** The name under which this process owns runs. */
  owner: string;
  files: Files;
  /** Derives a key for one purpose from the server's secret. */
  keyFor(purpose: string): Buffer;
}

/** Opens the data directory, the database and the files. `beside`: another process may have the directory already. */
export async function openData(
  config: Config,
  closing: Closing,
  { beside = false, logFile, peers }: Pick<OwnParts, "beside" | "logFile" | "peers"> = {},
): Promise<Data> {
  createDataDirectory(config.dataDir);
  const unlock = peers ? undefined : lockUnlessServed(config.dataDir, beside);
  if (unlock) closing.add(unlock);
  if (peers || beside) closing.add(joinDataDirectory(config.dataDir));
  closing.add(knowSecrets(secretsIn(config.settings)));
  closing.add(knowUpstreams(upstreamsIn(config.settings)));
  const log = openLog(
    config,
    logFile === undefined ? undefined : join(config.dataDir, logFile),
    peers?.number,
  );
  const place = { locked: unlock !== undefined, beside };
  const { store, owner } = await openStore(config, (line) => log.warn(line), place, peers);
  closing.add(() => store.close());
  // A server may start while a terminal is open.
  if (beside) unlock?.();
  const secret = readSecret(config.dataDir, config.secret);
  const keyFor = (purpose: string) => deriveKey(secret, purpose);
  const audit = openAudit(store, keyFor, log);
  closing.add(() => audit.flush());
  let open = true;
  const files = openFiles({
    store,
    dataDir: config.dataDir,
    ...config.files,
    key: keyFor("file addresses"),
    count: countFile,
    // What a pass leaves behind because everything closes, the next start removes.
    onProblem: (thrown) => open && log.warn({ err: thrown }, "could not tidy up files"),
  });
  closing.add(() => {
    open = false;
  });
  closing.add(
    startRetention({
      store,
      days: config.keptDays,
      tidy: () => files.tidy(),
      trimAudit: (since) => store.trimAudit(since, linkWith(keyFor(AUDIT_KEY))),
      onErased: ({ id }) =>
        audit.note({
          actor: "system",
          action: "erasure.done",
          sessionId: id,
          subject: { kind: "session", why: "age" },
        }),
      onProblem: (thrown) => log.warn({ err: thrown }, "could not delete what is older than allowed"),
    }),
  );
  // Only a process that stays searches, and brings the index of an upgraded database up to date.
  if (!beside)
    void store.startIndexing().catch((thrown) => log.warn({ err: thrown }, "could not index texts"));
  return { log, store, audit, owner, files, keyFor };
}

/** The audit log on a store, sealed with a key of the server. */
export function openAudit(store: Store, keyFor: Data["keyFor"], log: Logger): AuditLog {
  return createAuditLog({
    store,
    key: keyFor(AUDIT_KEY),
    redact: redactSecrets,
    onProblem: (thrown, { action }) => log.error({ err: thrown, action }, "could not write to the audit log"),
  });
}

/** The operator's log, redacted: on standard error, or in a file. */
export function openLog({ logLevel }: Pick<Config, "logLevel">, file?: string, worker?: number): Logger {
  return createLog(
    logLevel,
    { text: redact, deep: redactDeep },
    file,
    worker === undefined ? null : { worker },
  );
}

/** Locks the data directory. Returns nothing if another process serves it and this one may work beside it. */
function lockUnlessServed(directory: string, beside: boolean): (() => void) | undefined {
  try {
    return lockDataDirectory(directory);
  } catch (thrown) {
    if (!beside || !(thrown instanceof Failure) || thrown.code !== "CONFLICT") throw thrown;
    return undefined;
  }
}
