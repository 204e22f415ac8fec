import { existsSync } from "node:fs";
import { join } from "node:path";
import { deriveKey, readSecret } from "../../accounts/secret.ts";
import { redactSecrets } from "../../guard/redact/redact.ts";
import { AUDIT_KEY } from "../../observe/audit/chain.ts";
import { createAuditLog } from "../../observe/audit/log.ts";
import type { AuditFact } from "../../protocol/audit.ts";
import { Failure } from "../../protocol/failure.ts";
import type { Store } from "../../protocol/store.ts";
import { joinDataDirectory } from "../../store/lock.ts";
import type { Config } from "../config.ts";
import { openStore } from "../open-store.ts";

type Place = Pick<Config, "dataDir" | "databaseUrl">;

/** Runs `work` on the audit log, also beside a server. Throws NOT_FOUND if there is no data. */
export async function withAudit<Result>(
  config: Config,
  work: (store: Store, key: Buffer) => Promise<Result>,
  place: Place = config,
): Promise<Result> {
  const { dataDir, databaseUrl } = place;
  if (databaseUrl === undefined && !existsSync(join(dataDir, "tackle.db")))
    throw new Failure("NOT_FOUND", `There is no data in ${dataDir} yet.`);
  const leave = joinDataDirectory(dataDir);
  try {
    const { store } = await openStore({ ...config, ...place }, () => {}, { locked: false, beside: true });
    try {
      return await work(store, deriveKey(readSecret(dataDir, config.secret), AUDIT_KEY));
    } finally {
      await store.close();
    }
  } finally {
    leave();
  }
}

/** Writes down what a command on the server's machine did. */
export async function recordCommand(
  config: Config,
  fact: Omit<AuditFact, "actor">,
  place?: Place,
): Promise<void> {
  await withAudit(
    config,
    (store, key) =>
      createAuditLog({ store, key, redact: redactSecrets, onProblem() {} }).record({
        actor: "operator",
        ...fact,
      }),
    place,
  );
}
