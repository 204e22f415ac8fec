import {
  type AddClientAuthentication,
  createPrivateKeyJwtAuth,
  type OAuthDiscoveryState,
  requestJwtAuthorizationGrant,
} from "@modelcontextprotocol/client";
import { assertionOf, type OAuthSettings } from "./oauth-settings.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Signs the assertion with which a client proves its identity instead of a secret, if a key is configured. */
export function clientAssertion({
  clientId,
  privateKey,
  algorithm,
}: OAuthSettings): AddClientAuthentication | undefined {
  if (clientId === undefined || privateKey === undefined) return undefined;
  return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm });
}

/** Builds the token request of a grant in which no person takes part. */
export async function requestWithoutPerson(
  grant: "client_credentials" | "jwt_bearer",
  oauth: OAuthSettings,
  server: {
    scope: string | undefined;
    resource: string | undefined;
    discovered: OAuthDiscoveryState | undefined;
  },
): Promise<URLSearchParams> {
  const scope = oauth.scope ?? server.scope;
  const params = new URLSearchParams(scope ? { scope } : {});
  if (grant === "client_credentials") {
    params.set("grant_type", "client_credentials");
    return params;
  }
  params.set("grant_type", JWT_BEARER);
  params.set("assertion", assertionOf(oauth) ?? (await vouchedFor(oauth, server)));
  return params;
}

/** Asks the organization's identity provider to vouch for the person at the server's authorization server. */
async function vouchedFor(
  { idpTokenEndpoint, idpClientId, idpClientSecret, idpIdToken }: OAuthSettings,
  { resource, discovered }: { resource: string | undefined; discovered: OAuthDiscoveryState | undefined },
): Promise<string> {
  const audience = discovered?.authorizationServerMetadata?.issuer ?? discovered?.authorizationServerUrl;
  if (!idpTokenEndpoint || !idpClientId || !idpIdToken || !audience || !resource)
    throw new Error("oauth: idpTokenEndpoint, idpClientId and idpIdToken are needed, or an assertion");
  const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
    tokenEndpoint: idpTokenEndpoint,
    audience: String(audience),
    resource,
    idToken: idpIdToken,
    clientId: idpClientId,
    ...(idpClientSecret === undefined ? {} : { clientSecret: idpClientSecret }),
  });
  return jwtAuthGrant;
}
