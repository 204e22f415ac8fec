import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isObject } from "../protocol/json.ts";
import type { Config } from "./config.ts";
import type { Tackle } from "./tackle.ts";

type Parts = Pick<Tackle, "config" | "store" | "audit" | "keyFor">;

/** The names that settings have. The environment holds much else. */
const SETTING = /^(?:HOST|PORT|DATABASE_URL|S3_\w+|OLLAMA_\w+|OTEL_\w+|TACKLE_\w+|\w+_(?:API_KEY|BASE_URL))$/;
const KNOWN_POLICY = "audit:policy";
const KNOWN_SETTINGS = "audit:settings";

/**
 * Writes down what the operator has changed since the server's last start: the policy by its hash, settings and files with
 * settings by their names.
 */
export async function recordChangedSettings({ config, store, audit, keyFor }: Parts): Promise<void> {
  await recordChangedPolicy({ config, store, audit });
  const known = await store.getSettings("");
  const settings = fingerprints(config, keyFor("audit settings"));
  const former = isObject(known[KNOWN_SETTINGS]) ? known[KNOWN_SETTINGS] : {};
  const names = [...new Set([...Object.keys(settings), ...Object.keys(former)])]
    .filter((name) => settings[name] !== former[name])
    .sort();
  if (names.length === 0) return;
  await audit.record({ actor: "operator", action: "settings.changed", subject: { names: names.join(",") } });
  await store.putSetting("", KNOWN_SETTINGS, settings);
}

/** Writes down that the operator has changed the policy, if it is not the known one. */
export async function recordChangedPolicy({ config, store, audit }: Omit<Parts, "keyFor">): Promise<void> {
  const policy = hashOf(config.policyFile);
  if (policy === ((await store.getSettings(""))[KNOWN_POLICY] ?? undefined)) return;
  await audit.record({ actor: "operator", action: "policy.changed", subject: { hash: policy ?? "none" } });
  await store.putSetting("", KNOWN_POLICY, policy);
}

/** Notes the hash of a policy that an administrator has written. */
export async function notePolicy(store: Parts["store"], hash: string): Promise<void> {
  await store.putSetting("", KNOWN_POLICY, hash);
}

/** A keyed hash of each setting, which tells that it has changed but not what it is. */
function fingerprints({ settings, mcpFile, openApiFile }: Config, key: Uint8Array): Record<string, string> {
  const found: Record<string, string> = {};
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined)
      found[name] = createHmac("sha256", key).update(value).digest("base64url").slice(0, 22);
  };
  for (const [name, value] of Object.entries(settings)) if (SETTING.test(name)) add(name, value);
  for (const file of [mcpFile, openApiFile]) add(basename(file), hashOf(file));
  return found;
}

/** The hash of a file, or undefined if there is none. */
function hashOf(file: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}
