import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { isObject } from "../../protocol/json.ts";

const settings = z.object({
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  /** What to ask for. Without it, the server says. */
  scope: z.string().optional(),
  /** The only authorization server that the client's credentials may be sent to. */
  issuer: z.string().optional(),
  /** The address that is our client id at servers that read client metadata documents. */
  clientMetadataUrl: z.url({ protocol: /^https$/ }).optional(),
  grant: z.enum(["authorization_code", "client_credentials", "jwt_bearer"]).optional(),
  /** Signs the assertions that replace a client secret. */
  privateKey: z.string().optional(),
  algorithm: z.string().default("ES256"),
  /** The token of a workload, or a file that it is read from each time. */
  assertion: z.string().optional(),
  assertionFile: z.string().optional(),
  /** The identity provider of an organization, which vouches for the person. */
  idpTokenEndpoint: z.url().optional(),
  idpClientId: z.string().optional(),
  idpClientSecret: z.string().optional(),
  idpIdToken: z.string().optional(),
});

/** How we authorize ourselves at a server, as far as the operator says so. */
export type OAuthSettings = Readonly<z.output<typeof settings>>;

/** Other programs spell the same keys differently: clientId, client_id, CLIENT_ID. */
const NAMES = new Map(
  [
    ...Object.keys(settings.shape).map((name) => [name, name]),
    ["scopes", "scope"],
    ["signingAlgorithm", "algorithm"],
    ["privateKeyPem", "privateKey"],
    ["idpTokenUrl", "idpTokenEndpoint"],
    ["grantType", "grant"],
    ["expectedIssuer", "issuer"],
  ].map(([given = "", name = ""]) => [plain(given), name]),
);

/** Reads the `oauth` of a server's entry. Throws an error that says what is wrong. */
export function readOAuthSettings(
  entry: unknown,
  expand: (text: string) => string,
  folder: string,
): OAuthSettings {
  const found: Record<string, string> = {};
  for (const [given, value] of isObject(entry) ? Object.entries(entry) : []) {
    const name = NAMES.get(plain(given));
    const text = Array.isArray(value) ? value.join(" ") : value;
    if (name !== undefined && typeof text === "string") found[name] = expand(text);
  }
  const read = settings.safeParse(found);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`oauth.${issue?.path.join(".")}: ${issue?.message ?? "is not valid"}`);
  }
  const { assertionFile, ...rest } = read.data;
  return {
    ...rest,
    ...(assertionFile === undefined ? {} : { assertionFile: resolve(folder, assertionFile) }),
  };
}

/** The grant that the operator chose, in words or by what is configured for it. */
export function configuredGrant(oauth: OAuthSettings): OAuthSettings["grant"] {
  if (oauth.grant) return oauth.grant;
  if (assertionOf(oauth) !== undefined || oauth.idpTokenEndpoint !== undefined) return "jwt_bearer";
  return oauth.privateKey === undefined ? undefined : "client_credentials";
}

/** The workload's token as it is now. */
export function assertionOf({ assertion, assertionFile }: OAuthSettings): string | undefined {
  return assertionFile === undefined ? assertion : readFileSync(assertionFile, "utf8").trim();
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}
