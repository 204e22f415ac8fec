import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { parseObject } from "../../protocol/json.ts";

interface StoredState {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  verifier?: string;
  discovery?: OAuthDiscoveryState;
  state?: string;
  redirectUrl?: string;
}

/**
 * The OAuth client for one server. A person opens `pendingUrl`, and the browser returns to our callback. The state is kept
 * in a file that only its owner can read.
 */
export class ServerAuthorization implements OAuthClientProvider {
  /** The address at which a person has to authorize us; undefined where that is not needed. */
  pendingUrl: string | undefined;
  private readonly file: string;
  private readonly callbackUrl: () => string | undefined;
  private kept: StoredState;

  constructor(file: string, callbackUrl: () => string | undefined) {
    this.file = file;
    this.callbackUrl = callbackUrl;
    this.kept = readState(file);
  }

  /** False while there is no callback address. */
  get usable(): boolean {
    return this.redirectUrl !== undefined;
  }

  get redirectUrl(): string | undefined {
    return this.callbackUrl() ?? this.kept.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Tackle",
      redirect_uris: this.redirectUrl === undefined ? [] : [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state(): string {
    const state = randomBytes(32).toString("base64url");
    this.keep({ state });
    return state;
  }

  /** Whether this is the state of the authorization under way. */
  expects(state: string): boolean {
    const wanted = Buffer.from(this.kept.state ?? "");
    const given = Buffer.from(state);
    return wanted.length > 0 && wanted.length === given.length && timingSafeEqual(wanted, given);
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    // A registration is only valid for its callback address.
    if (this.kept.redirectUrl !== this.redirectUrl) return undefined;
    return forIssuer(this.kept.client, context);
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    const { redirectUrl } = this;
    this.keep({ client, ...(redirectUrl === undefined ? {} : { redirectUrl }) });
  }

  tokens(context?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    return forIssuer(this.kept.tokens, context);
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.pendingUrl = undefined;
    this.keep({ tokens, verifier: undefined, state: undefined });
  }

  redirectToAuthorization(url: URL): void {
    this.pendingUrl = url.href;
  }

  saveCodeVerifier(verifier: string): void {
    this.keep({ verifier });
  }

  codeVerifier(): string {
    if (this.kept.verifier === undefined) throw new Error("no authorization is under way");
    return this.kept.verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.keep({ discovery });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.kept.discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all") this.replace({});
    else this.keep({ [scope]: undefined });
  }

  private keep(change: { [Key in keyof StoredState]?: StoredState[Key] | undefined }): void {
    const merged = Object.entries({ ...this.kept, ...change }).filter(([, value]) => value !== undefined);
    this.replace(Object.fromEntries(merged));
  }

  private replace(kept: StoredState): void {
    this.kept = kept;
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const draft = `${this.file}.new`;
    writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, this.file);
  }
}

/** Credentials of one authorization server are never sent to another. */
function forIssuer<Value extends { issuer?: string }>(
  value: Value | undefined,
  context: OAuthClientInformationContext | undefined,
): Value | undefined {
  if (context?.issuer !== undefined && value?.issuer !== undefined && value.issuer !== context.issuer)
    return undefined;
  return value;
}

function readState(file: string): StoredState {
  try {
    return (parseObject(readFileSync(file, "utf8")) ?? {}) as StoredState;
  } catch {
    return {}; // Not authorized yet.
  }
}
