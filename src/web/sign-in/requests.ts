/** What the server offers to visitors; `GET /auth/options`. */
export interface Options {
  signUp: boolean;
  firstAccount: boolean;
  passwordReset: boolean;
  passkeys?: boolean;
  provider?: { name: string; signUp: boolean };
  guests?: { questions: number; minutes: number };
  /** The person is signed in, with an account that was suspended. */
  suspended?: boolean;
}

/** A refusal with the server's sentence. */
export class Refused extends Error {
  readonly code: string;
  /** What exactly went wrong with a provider. */
  readonly problem: string | undefined;
  constructor(code: string, sentence: string, problem?: string) {
    super(sentence);
    this.code = code;
    this.problem = problem;
  }
}

/** Sends a form and returns the answer. Throws `Refused`; any other error means that the server can't be reached. */
export async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return response.status === 204 ? undefined : response.json();
  const { error, code, details } = (await response.json()) as {
    error?: string;
    code?: string;
    details?: { problem?: string };
  };
  throw new Refused(code ?? "", error ?? "", details?.problem);
}

/** Returns what the server offers; undefined if it has no accounts. */
export async function readOptions(): Promise<Options | undefined> {
  const response = await fetch("/auth/options");
  return response.ok ? ((await response.json()) as Options) : undefined;
}
