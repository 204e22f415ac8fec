/** A search result, not yet validated. */
export interface Found {
  title: unknown;
  url: unknown;
  snippet: unknown;
  /** Relevance from 0 to 1, if the provider reports it. */
  score?: unknown;
}

export interface SearchQuery {
  query: string;
  maxResults: number;
}

/** The address and key of a provider. */
export interface Access {
  /** Without a slash at its end. */
  baseUrl: string;
  key: string | undefined;
  /** The operator set the address, so it may be private. */
  allowPrivate: boolean;
}

export interface ProviderRequest {
  url: string;
  headers: Record<string, string>;
  /** Sent with POST; without it the request is a GET. */
  body?: unknown;
}

export interface ProviderAnswer {
  found: Found[];
  /** Dollars, if the provider reports the cost. */
  costUsd?: number;
  /** Why there may be no results. */
  note?: string;
}

/** What an error status means. `busy` ends soon, `exhausted` only when the quota is renewed. */
export type Trouble = "arguments" | "key" | "busy" | "exhausted" | "setup" | "outage";

export interface SearchProvider {
  readonly id: ProviderId;
  /** The display name, which its circuit breaker uses too. */
  readonly label: string;
  /** The default address; undefined where the operator has to set it. */
  readonly baseUrl: string | undefined;
  readonly baseUrlSetting: string;
  readonly keySetting?: string;
  /** Results with a lower score are left out. */
  readonly minimumScore: number;
  /** Dollars for one search, unless the answer or the operator says otherwise. */
  readonly priceUsd: number;
  /** False where whole sentences work better than keywords. */
  readonly likesKeywords: boolean;
  request(search: SearchQuery, access: Access): ProviderRequest;
  /** A free request that needs the key. Without it, a key is tried with a short search. */
  checkRequest?(access: Access): ProviderRequest;
  /** Reads a parsed answer. Returns undefined where it has an unknown form. */
  read(answer: unknown): ProviderAnswer | undefined;
  /** Statuses with a different meaning than usual. */
  readonly statuses?: Readonly<Record<number, Trouble>>;
  /** Advice for a search without results. */
  readonly advice?: string;
  /** What the operator has to do about `setup` errors. */
  readonly setup?: string;
}

export const PROVIDER_IDS = ["tavily", "exa", "searxng", "duckduckgo"] as const;
export type ProviderId = (typeof PROVIDER_IDS)[number];
