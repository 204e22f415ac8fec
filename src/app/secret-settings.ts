const SECRET_SETTING = /(?:^|_)(?:key|token|secret|password|passwd|pass|credentials?)$|_key_/i;

/** The values of settings whose names call them secret, and the passwords in addresses: they may look like anything. */
export function secretsIn(settings: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (SECRET_SETTING.test(name)) return [value];
    const password = /:\/\//.test(value) ? URL.parse(value)?.password : undefined;
    return password ? [password, safelyDecoded(password)] : [];
  });
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A per cent sign of its own.
  }
}
