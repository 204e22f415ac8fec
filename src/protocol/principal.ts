/** Who is asking. The server decides it, never the client. */
export interface Principal {
  readonly id: string;
  /** `owner`: the one local user, without request limits; `guest`: anonymous, with data and limits of its own. */
  readonly kind: "owner" | "guest" | "account";
  /** Set for who may administer accounts; never for somebody who came with an API key. */
  readonly role?: "admin";
}
