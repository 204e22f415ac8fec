/** A new id for a tool call: ours, whatever the vendor calls it, since vendors repeat and forget theirs. */
export function mintCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "")}`;
}
