import { randomBytes, type webcrypto } from "node:crypto";
import type {
  AddClientAuthentication,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { type CredentialSlot, forIssuer, KeptCredentials, type PendingAuthorization } from "./credentials.ts";
import { clientAssertion, requestWithoutPerson } from "./oauth-grants.ts";
import { configuredGrant, type OAuthSettings } from "./oauth-settings.ts";

/** A person may open an older address than the newest one. */
const MOST_PENDING = 5;
/** How often a person is asked for the same permission if the server keeps refusing. */
const MOST_REPEATS = 2;

export interface AuthorizationParts {
  slot: CredentialSlot;
  oauth: OAuthSettings;
  /** Our callback address, if there is a server that listens. */
  callbackUrl(): string | undefined;
  /** Our own client metadata document, if the internet can read it. */
  metadataUrl?(): string | undefined;
}

/** The OAuth client of one person, or of the operator, at one server. */
// The SDK's interface declares it without `undefined`, which stops programs that check exact optional properties.
export class ServerAuthorization implements Omit<OAuthClientProvider, "clientMetadataUrl"> {
  /** The address at which a person has to authorize us; undefined where that is not needed. */
  pendingUrl: string | undefined;
  readonly addClientAuthentication?: AddClientAuthentication;
  readonly oauth: OAuthSettings;
  private readonly parts: AuthorizationParts;
  private readonly kept: KeptCredentials;
  /** What the server's metadata said last. */
  private discovered: OAuthDiscoveryState | undefined;
  private registeredUrl: string | undefined;
  private resource: string | undefined;
  private verifier = "";
  private lastState = "";
  /** The authorization that a callback is about. */
  private finishing: PendingAuthorization | undefined;
  private repeats = new Map<string, number>();

  constructor(parts: AuthorizationParts) {
    this.parts = parts;
    this.kept = new KeptCredentials(parts.slot);
    this.oauth = parts.oauth;
    const assertion = clientAssertion(parts.oauth);
    if (assertion) this.addClientAuthentication = assertion;
  }

  /** Reads what is stored. Returns false while a person would have to grant access, but there is no callback address. */
  async prepare(): Promise<boolean> {
    const { redirectUrl, discovery } = await this.kept.read();
    this.registeredUrl = redirectUrl;
    this.discovered = discovery;
    return this.grant !== "authorization_code" || this.redirectUrl !== undefined;
  }

  /** Undefined where no person takes part. */
  get redirectUrl(): string | undefined {
    return this.grant === "authorization_code" ? (this.parts.callbackUrl() ?? this.registeredUrl) : undefined;
  }

  get clientMetadataUrl(): string | undefined {
    return this.oauth.clientMetadataUrl ?? this.parts.metadataUrl?.();
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl } = this;
    const methods = this.discovered?.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? [];
    const method = methods.length === 0 || methods.includes("none") ? "none" : methods[0];
    return {
      client_name: "Tackle",
      redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: method,
      ...(this.oauth.scope === undefined ? {} : { scope: this.oauth.scope }),
    };
  }

  /** Whether anything was authorized, so that the connection is this person's alone. */
  async hasTokens(): Promise<boolean> {
    return (await this.kept.read()).tokens !== undefined;
  }

  /** Called when the server has accepted a request. */
  works(): void {
    this.repeats.clear();
  }

  state(): string {
    this.lastState = randomBytes(32).toString("base64url");
    return this.lastState;
  }

  /** Whether this is the state of an authorization under way. */
  async expects(state: string): Promise<boolean> {
    return (await this.kept.pendingOf(state)) !== undefined;
  }

  /** Takes the authorization out of those under way. Each can be finished once. */
  async beginFinish(state: string): Promise<void> {
    this.finishing = await this.kept.pendingOf(state);
    await this.kept.change(({ pending = [], ...rest }) => ({
      ...rest,
      pending: pending.filter((one) => one.state !== state),
    }));
  }

  endFinish(): void {
    this.finishing = undefined;
  }

  async clientInformation(
    context?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    const { client, redirectUrl } = await this.kept.read();
    const { clientId, clientSecret, issuer } = this.oauth;
    if (clientId !== undefined) {
      // Credentials belong to the first authorization server that they were sent to, unless the settings name it.
      const first = client?.client_id === clientId ? client.issuer : undefined;
      const bound = issuer ?? first ?? context?.issuer;
      if (first === undefined && bound !== undefined)
        await this.kept.keep({ client: { client_id: clientId, issuer: bound } });
      return {
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        ...(bound === undefined ? {} : { issuer: bound }),
      };
    }
    // A registration is only valid for its callback address.
    if (redirectUrl !== this.redirectUrl) return undefined;
    return forIssuer(client, context);
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    // What the settings say stays there.
    if (this.oauth.clientId !== undefined) return;
    const { redirectUrl } = this;
    await this.kept.keep({ client, redirectUrl });
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    return forIssuer((await this.kept.read()).tokens, context);
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.pendingUrl = undefined;
    await this.kept.keep({ tokens });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const scope = url.searchParams.get("scope") ?? "";
    const repeats = this.repeats.get(scope) ?? 0;
    if (repeats > MOST_REPEATS)
      throw new Error("it was authorized several times, but goes on asking for the same permission");
    const { lastState: state, verifier, discovered: discovery } = this;
    await this.kept.change(({ pending = [], ...rest }) => ({
      ...rest,
      pending: [
        ...pending,
        { state, verifier, ...(scope && { scope }), ...(discovery && { discovery }) },
      ].slice(-MOST_PENDING),
    }));
    this.pendingUrl = url.href;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    if (!this.finishing) throw new Error("no authorization is under way");
    const { scope = "" } = this.finishing;
    this.repeats.set(scope, (this.repeats.get(scope) ?? 0) + 1);
    return this.finishing.verifier;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    this.discovered = discovery;
    await this.kept.keep({ discovery });
  }

  /** A code is exchanged at the server that the person was sent to, whatever the metadata says by now. */
  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    this.discovered = this.finishing ? this.finishing.discovery : (await this.kept.read()).discovery;
    return this.discovered;
  }

  /** Called when the server refuses a token: it may have moved to another authorization server. */
  async forgetDiscovery(): Promise<void> {
    await this.kept.keep({ discovery: undefined });
  }

  saveResourceUrl(resource: string): void {
    this.resource = resource;
  }

  /** The token request of a grant without a person; undefined for an authorization code. */
  async prepareTokenRequest(scope?: string): Promise<URLSearchParams | undefined> {
    const { grant, oauth, resource, discovered } = this;
    if (grant === "authorization_code") return undefined;
    return requestWithoutPerson(grant, oauth, { scope, resource, discovered });
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (scope === "all") await this.kept.change(() => ({}));
    else if (scope !== "verifier") await this.kept.keep({ [scope]: undefined });
  }

  /** The proof key, which is made when it is first needed. */
  async proofKey(make: () => webcrypto.JsonWebKey): Promise<webcrypto.JsonWebKey> {
    const known = (await this.kept.read()).proofKey;
    if (known) return known;
    const proofKey = make();
    await this.kept.keep({ proofKey });
    return proofKey;
  }

  /** What the authorization server says about itself. */
  get metadata(): Record<string, unknown> | undefined {
    return this.discovered?.authorizationServerMetadata;
  }

  /** What an authorization server without authorization codes offers is used if the operator chose nothing. */
  private get grant(): NonNullable<OAuthSettings["grant"]> {
    const chosen = configuredGrant(this.oauth);
    if (chosen) return chosen;
    const offered = this.discovered?.authorizationServerMetadata?.grant_types_supported ?? [];
    const isForPrograms = offered.includes("client_credentials") && !offered.includes("authorization_code");
    return isForPrograms && this.oauth.clientSecret !== undefined
      ? "client_credentials"
      : "authorization_code";
  }
}
