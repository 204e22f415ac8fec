/** A new id for a tool call. */
export function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The vendor's id of a call where it has one that is not used yet, otherwise a new one: vendors repeat and forget ids. */
export function takeCallId(vendors: unknown, used: Set<string>): string {
  const id = typeof vendors === "string" && vendors !== "" && !used.has(vendors) ? vendors : mintCallId();
  used.add(id);
  return id;
}
