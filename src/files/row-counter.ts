const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const TAB = 0x09;

/** Counts the rows of a CSV or TSV file while it is written. Empty lines are none, and a line break in quotes ends none. */
export class RowCounter {
  private ended = 0;
  private isEmpty = true;
  private isFieldStart = true;
  private isQuoted = false;
  private afterQuote = false;

  take(chunk: Uint8Array): void {
    // Variables are several times faster than properties here.
    let { ended, isEmpty, isFieldStart, isQuoted, afterQuote } = this;
    for (let at = 0; at < chunk.length; at++) {
      if (isQuoted) {
        const end = chunk.indexOf(QUOTE, at);
        if (end === -1) break;
        at = end;
        isQuoted = false;
        afterQuote = true;
        continue;
      }
      const byte = chunk[at];
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (!isEmpty) ended += 1;
        isEmpty = true;
        isFieldStart = true;
      } else {
        // A quote opens a field at its start, and again after one that closed it: `""` is a quote in a text.
        isQuoted = byte === QUOTE && (isFieldStart || afterQuote);
        isFieldStart = byte === COMMA || byte === SEMICOLON || byte === TAB;
        isEmpty = false;
      }
      afterQuote = false;
    }
    Object.assign(this, { ended, isEmpty, isFieldStart, isQuoted, afterQuote });
  }

  /** Returns the number of rows; undefined if quotes don't match, so that it can't be told. */
  count(): number | undefined {
    return this.isQuoted ? undefined : this.ended + (this.isEmpty ? 0 : 1);
  }
}
