/** Who is asking. The server decides it, never the client. */
export interface Principal {
  readonly id: string;
  /** `owner`: the one local user, without request limits; `guest`: anonymous, with data and limits of its own. */
  readonly kind: "owner" | "guest" | "account";
  /** Set for who may administer accounts; never for somebody who came with an API key. */
  readonly role?: "admin";
  /** The API key of ours that it came with, where it came with one. */
  readonly key?: { readonly id: string; readonly budget?: KeyBudget };
}

/** Dollars that may be spent through an API key: within so many days, or ever. */
export interface KeyBudget {
  readonly usd: number;
  readonly days?: number;
}
