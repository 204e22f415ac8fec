import { decodeUri } from "../protocol/uri.ts";

const SECRET_NAME =
  /(?:^|_)(?:key|token|secret|password|passwd|pass|credential)s?(?:_|$)|^(?:DATABASE|TACKLE_JOURNAL)_URL$/i;

/** True for a setting whose value must never be shown: its name tells. This is the only definition of a secret setting. */
export function isSecretSetting(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The secret values among the settings, and the passwords inside of addresses. */
export function secretsIn(settings: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (value === undefined) return [];
    // Not by `URL`: an address may name several hosts.
    const password = /^[\w+.-]+:\/\/[^:@/\s]*:([^@/\s]+)@/.exec(value)?.[1];
    if (password) return [password, decodeUri(password)];
    return isSecretSetting(name) ? [value] : [];
  });
}

/** The addresses among the settings that requests are sent to. */
export function upstreamsIn(settings: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    value !== undefined && /_BASE_URL$|^S3_ENDPOINT$/.test(name) ? [value] : [],
  );
}
