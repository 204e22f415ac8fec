const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Comma, semicolon, tab. */
const SEPARATORS: ReadonlySet<number> = new Set([0x2c, 0x3b, 0x09]);

/** Counts the rows of a CSV or TSV file while it is written. Empty lines are none, and a line break in quotes ends none. */
export class RowCounter {
  private ended = 0;
  private isEmpty = true;
  private isFieldStart = true;
  private isQuoted = false;
  private afterQuote = false;

  take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.isQuoted) {
        if (byte === QUOTE) [this.isQuoted, this.afterQuote] = [false, true];
        continue;
      }
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) this.endRow();
      else {
        // A quote opens a field at its start, and again after one that closed it: `""` is a quote in a text.
        this.isQuoted = byte === QUOTE && (this.isFieldStart || this.afterQuote);
        this.isFieldStart = SEPARATORS.has(byte);
        this.isEmpty = false;
      }
      this.afterQuote = false;
    }
  }

  /** Returns the number of rows; undefined if quotes don't match, so that it can't be told. */
  count(): number | undefined {
    return this.isQuoted ? undefined : this.ended + (this.isEmpty ? 0 : 1);
  }

  private endRow(): void {
    if (!this.isEmpty) this.ended += 1;
    [this.isEmpty, this.isFieldStart] = [true, true];
  }
}
