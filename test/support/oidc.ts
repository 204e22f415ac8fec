import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A person whom the provider knows. */
export interface ProviderPerson {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface TestProvider {
  url: string;
  /** By the name that somebody enters on the provider's page. */
  people: Map<string, ProviderPerson>;
  /** Lets the provider answer every request with this status. */
  break(status: number | undefined): void;
  close(): Promise<void>;
}

export const CLIENT = { id: "tackle", secret: "a secret of the provider's client" };

/** Starts a certified OpenID provider on a socket. It has a page with one field, and asks for no password. */
export async function startProvider(redirectUris: () => string[]): Promise<TestProvider> {
  let broken: number | undefined;
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server: Server = createServer((request, response) => {
    if (broken === undefined) return handle(request, response);
    response.writeHead(broken).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, ProviderPerson>();
  let provider: Provider | undefined;
  handle = (request, response) => {
    // Made with the first request, because the address of the server under test is known only then.
    provider ??= createProvider(url, people, redirectUris());
    if (!request.url?.startsWith("/interaction/")) return provider.callback()(request, response);
    void interact(provider, request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  };
  return {
    url,
    people,
    break(status) {
      broken = status;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createProvider(url: string, people: TestProvider["people"], redirectUris: string[]): Provider {
  return new Provider(url, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
    cookies: { keys: ["only for tests"] },
  });
}

/** Shows a page that asks who the person is, and lets them in. Consent is given without a question. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === "consent") {
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id });
    grant.addOIDCScope("openid email profile");
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
  const query = new URL(request.url ?? "", "http://provider").searchParams;
  const who = query.get("who");
  if (query.has("cancel")) return provider.interactionFinished(request, response, { error: "access_denied" });
  if (who !== null) return provider.interactionFinished(request, response, { login: { accountId: who } });
  response.writeHead(200, { "content-type": "text/html" });
  response.end(
    '<form><label>Who are you? <input name="who"></label><button>Continue</button> <button name="cancel">Cancel</button></form>',
  );
}

/** Goes through the provider's pages as a browser would. Returns where it leads back to. */
export async function visitProvider(
  address: string,
  action: { who: string } | { cancel: true },
): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(next, { headers: { cookie }, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const [name = "", ...value] = pair.split("=");
      cookies.set(name, value.join("="));
    }
    const location = answer.headers.get("location");
    if (location !== null) {
      const { origin } = next;
      next = new URL(location, next);
      if (next.origin !== origin) return next;
    } else {
      if (answer.status !== 200) throw new Error(`the provider answered ${answer.status}`);
      next.search = "who" in action ? `?who=${encodeURIComponent(action.who)}` : "?cancel=";
    }
  }
  throw new Error("the provider led nowhere");
}
