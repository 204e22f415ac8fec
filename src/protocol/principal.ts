import type { KeyScope } from "./accounts.ts";

/** Who makes a request. The server decides it, never the client. */
export interface Principal {
  readonly id: string;
  /** `owner`: the local user, without request limits. `guest`: anonymous, with its own data and limits. */
  readonly kind: "owner" | "guest" | "account";
  /** Set for administrators. Not set for requests with an API key without the scope `admin`. */
  readonly role?: "admin";
  /** The API key of the request, if it has one. */
  readonly key?: { readonly id: string; readonly scopes?: readonly KeyScope[]; readonly budget?: KeyBudget };
}

/** The credentials of a request. */
export interface Credentials {
  /** The token of `Authorization: Bearer …`, below `/v1/` also of `x-api-key` or `api-key`. Empty if the header has another form. */
  bearer: string | undefined;
  cookie(name: string): string | undefined;
}

/** Tells who has credentials of one kind: an account's session, an API key, a JWT. Undefined for those of another kind. */
export type AuthMethod = (credentials: Credentials) => Promise<Principal | undefined>;

/** Dollars that may be spent through an API key, per number of days or in total. */
export interface KeyBudget {
  readonly usd: number;
  readonly days?: number;
}
