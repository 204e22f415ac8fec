import type { ServerProcess } from "./server.ts";

/** Request headers that authenticate a user. */
export type Credentials = Record<string, string>;

export interface TestAccount {
  id: string;
  email: string;
  token: string;
  /** The session cookie as a browser sends it. */
  cookie: string;
}

export const PASSWORD = "correct horse battery";

/** Sends a request with a JSON body. */
export function call(
  { url }: Pick<ServerProcess, "url">,
  method: string,
  path: string,
  credentials: Credentials = {},
  body?: unknown,
): Promise<Response> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...credentials },
    body: text,
  });
}

/** Sends a request that must succeed, and returns the parsed body. */
export async function ask<Answer = Record<string, unknown>>(
  ...request: Parameters<typeof call>
): Promise<Answer> {
  const response = await call(...request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request[1]} ${request[2]} returned ${response.status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

export function bearer(token: string): Credentials {
  return { authorization: `Bearer ${token}` };
}

/** Returns the set-up token that the server printed at its start, for its first account. */
export function setUpTokenOf({ output }: { output: string | (() => string) }): string | undefined {
  return /\?setup=(\S+)/.exec(typeof output === "string" ? output : output())?.[1];
}

/** Creates an account and signs it in. */
export async function signUp(
  server: ServerProcess,
  name: string,
  credentials: Credentials = {},
): Promise<TestAccount> {
  const email = `${name}@example.com`;
  const setupToken = setUpTokenOf(server);
  const body = { email, password: PASSWORD, name, ...(setupToken ? { setupToken } : {}) };
  const response = await call(server, "POST", "/auth/sign-up", credentials, body);
  // A try of the test that failed has taken the address.
  if (response.status === 409) return signUp(server, `${name}-again`, credentials);
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  const { user, token } = (await response.json()) as { user: { id: string }; token: string };
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith("tackle_session="));
  return { id: user.id, email, token, cookie: cookie?.split(";")[0] ?? "" };
}
