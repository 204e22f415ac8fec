import type { ServerProcess } from "./server.ts";

/** What somebody shows with a request. */
export type Shown = Record<string, string>;

export interface Somebody {
  id: string;
  email: string;
  token: string;
  /** The session as a browser sends it. */
  cookie: string;
}

export const PASSWORD = "correct horse battery";

/** A request with a JSON body, as a plain client makes it. */
export function call(
  { url }: Pick<ServerProcess, "url">,
  method: string,
  path: string,
  shown: Shown = {},
  body?: unknown,
): Promise<Response> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return fetch(url + path, { method, headers: { "content-type": "application/json", ...shown }, body: text });
}

/** The same, for what has to succeed. */
export async function ask<Answer = Record<string, unknown>>(
  ...request: Parameters<typeof call>
): Promise<Answer> {
  const response = await call(...request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request[1]} ${request[2]} answered ${response.status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

export function bearer(token: string): Shown {
  return { authorization: `Bearer ${token}` };
}

/** A new account, signed in. */
export async function signUp(server: ServerProcess, name: string, shown: Shown = {}): Promise<Somebody> {
  const email = `${name}@example.com`;
  const response = await call(server, "POST", "/auth/sign-up", shown, { email, password: PASSWORD, name });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  const { user, token } = (await response.json()) as { user: { id: string }; token: string };
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith("tackle_session="));
  return { id: user.id, email, token, cookie: cookie?.split(";")[0] ?? "" };
}
