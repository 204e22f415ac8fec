/** What a search found, before anything of it is believed. */
export interface Found {
  title: unknown;
  url: unknown;
  snippet: unknown;
  /** How well it fits, from 0 to 1, where the provider says so. */
  score?: unknown;
}

export interface SearchQuery {
  query: string;
  maxResults: number;
}

/** Where a provider is asked, and with which key. */
export interface Access {
  /** Without a slash at its end. */
  baseUrl: string;
  key: string | undefined;
  /** The address is the operator's own, so it may be a private one. */
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
  /** Dollars, where the provider says so. */
  costUsd?: number;
  /** Why there may be nothing. */
  note?: string;
}

/** What a status means: `busy` passes in a while, `exhausted` only when somebody pays or a month is over. */
export type Trouble = "arguments" | "key" | "busy" | "exhausted" | "setup" | "outage";

export interface SearchProvider {
  readonly id: ProviderId;
  /** Its name for people; its circuit breaker goes by it too. */
  readonly label: string;
  /** Where it is found unless the setting says otherwise; undefined where only the operator knows. */
  readonly baseUrl: string | undefined;
  readonly baseUrlSetting: string;
  readonly keySetting?: string;
  /** Results that fit less well are left out. */
  readonly minimumScore: number;
  /** Dollars for one search, unless the answer or the operator says otherwise. */
  readonly priceUsd: number;
  /** False where whole sentences find more than keywords. */
  readonly likesKeywords: boolean;
  request(search: SearchQuery, access: Access): ProviderRequest;
  /** Reads a parsed answer; undefined where it is not one of this provider. */
  read(answer: unknown): ProviderAnswer | undefined;
  /** What a status means where it differs from the usual. */
  readonly statuses?: Readonly<Record<number, Trouble>>;
  /** What to try where nothing was found. */
  readonly advice?: string;
  /** What the operator has to do about a status that means `setup`. */
  readonly setup?: string;
}

export const PROVIDER_IDS = ["tavily", "exa", "searxng", "duckduckgo"] as const;
export type ProviderId = (typeof PROVIDER_IDS)[number];
