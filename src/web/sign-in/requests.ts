/** What the server offers to visitors; `GET /auth/options`. */
export interface Options {
  signUp: boolean;
  firstAccount: boolean;
  passwordReset: boolean;
  guests?: { questions: number; minutes: number };
}

/** A refusal with the server's sentence. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** Sends a form. Throws `Refused`; any other error means that the server can't be reached. */
export async function post(path: string, body: Record<string, string | undefined>): Promise<void> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return;
  const { error, code } = (await response.json()) as { error?: string; code?: string };
  throw new Refused(code ?? "", error ?? "");
}

/** Returns what the server offers; undefined if it has no accounts. */
export async function readOptions(): Promise<Options | undefined> {
  const response = await fetch("/auth/options");
  return response.ok ? ((await response.json()) as Options) : undefined;
}
