import { Failure } from "../protocol/failure.ts";

export interface FormFile {
  name?: string;
  declaredType?: string;
  body: AsyncIterable<Uint8Array>;
}

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 100;

/**
 * Returns the first file of a form as a stream, or undefined if there is none. Fields before it are skipped; the rest of
 * the form is read and discarded. Throws INVALID_INPUT.
 */
export async function readMultipart(
  source: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<FormFile | undefined> {
  const input = openForm(source, contentType);
  try {
    return await firstFile(input);
  } catch (thrown) {
    // Otherwise the client could not read the response, and the next request on its connection would never be read.
    await input.discard();
    throw thrown;
  }
}

/**
 * Reads a whole form. Each file is handed to `take`, which must read all of it. Returns the other fields by name. Throws
 * INVALID_INPUT.
 */
export async function readForm(
  source: AsyncIterable<Uint8Array>,
  contentType: string,
  take: (file: FormFile, field: string) => Promise<void>,
): Promise<Record<string, string>> {
  const input = openForm(source, contentType);
  const fields: Record<string, string> = {};
  try {
    await input.skipPart(); // The text before the first part is ignored.
    for (let field = 0; field < MAX_FIELDS; field++) {
      const headers = await input.headers();
      if (!headers) break;
      const { name, field: key } = namesIn(headers);
      if (name === undefined) fields[key] = await input.text();
      else await take({ name, declaredType: headers.get("content-type"), body: input.part() }, key);
    }
    return fields;
  } finally {
    await input.discard();
  }
}

function openForm(source: AsyncIterable<Uint8Array>, contentType: string): Input {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) throw broken("it has no boundary");
  return new Input(source, Buffer.from(`\r\n--${mark}`));
}

function namesIn(headers: Map<string, string>): { name: string | undefined; field: string } {
  const disposition = headers.get("content-disposition") ?? "";
  return { name: fileNameIn(disposition), field: parameterIn(disposition, "name") ?? "" };
}

/** Returns the name of the file that a Content-Disposition header is about. Names that are not ASCII can be encoded. */
export function fileNameIn(disposition: string): string | undefined {
  const encoded = /(?:^|;)\s*filename\*=UTF-8'[^']*'([^\s;]+)/i.exec(disposition)?.[1];
  if (encoded === undefined) return parameterIn(disposition, "filename");
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // It is a name all the same.
  }
}

/** Returns a parameter, which appears in quotation marks or alone. */
function parameterIn(disposition: string, name: string): string | undefined {
  const value = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(
    disposition,
  );
  return value?.[1] === undefined ? value?.[2] : unescaped(value[1]);
}

async function firstFile(input: Input): Promise<FormFile | undefined> {
  await input.skipPart(); // The text before the first part is ignored.
  for (let field = 0; field < MAX_FIELDS; field++) {
    const headers = await input.headers();
    if (!headers) return undefined;
    const { name } = namesIn(headers);
    if (name !== undefined) {
      return { name, declaredType: headers.get("content-type"), body: input.file() };
    }
    await input.skipPart();
  }
  throw broken("it has too many fields");
}

/** Reads the parts of a form from a stream. */
class Input {
  private readonly chunks: AsyncIterator<Uint8Array>;
  private readonly delimiter: Buffer;
  // Starts with a line end, so that the first boundary looks like all others.
  private rest: Buffer = Buffer.from("\r\n");

  constructor(source: AsyncIterable<Uint8Array>, delimiter: Buffer) {
    this.chunks = source[Symbol.asyncIterator]();
    this.delimiter = delimiter;
  }

  /** The headers of the next part, or undefined after the last one. */
  async headers(): Promise<Map<string, string> | undefined> {
    while (this.rest.length < 2) await this.more();
    if (this.rest.subarray(0, 2).toString() === "--") return undefined;
    let end = this.rest.indexOf("\r\n\r\n");
    while (end === -1) {
      if (this.rest.length > MAX_HEADER_BYTES) throw broken("the headers of a field are too long");
      await this.more();
      end = this.rest.indexOf("\r\n\r\n");
    }
    const lines = this.rest.subarray(0, end).toString("utf8").split("\r\n");
    this.rest = this.rest.subarray(end + 4);
    return new Map(
      lines.flatMap((line): [string, string][] => {
        const colon = line.indexOf(":");
        return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
      }),
    );
  }

  /** The text of a field. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.part()) {
      size += chunk.length;
      if (size > MAX_FIELD_BYTES) throw broken("a field is too long");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  async skipPart(): Promise<void> {
    for await (const _ of this.part());
  }

  /** The bytes of the part. Then reads the rest of the form, so that the client can read the response. */
  async *file(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.part();
    } finally {
      await this.discard();
    }
  }

  /** Reads the rest of the form, which its source bounds. */
  async discard(): Promise<void> {
    while (!(await this.chunks.next()).done);
  }

  /** The bytes of the part. */
  async *part(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const end = this.rest.indexOf(this.delimiter);
      if (end !== -1) {
        const last = this.rest.subarray(0, end);
        this.rest = this.rest.subarray(end + this.delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of the buffer can be the start of the delimiter.
      const safe = this.rest.length - this.delimiter.length + 1;
      if (safe > 0) {
        const chunk = this.rest.subarray(0, safe);
        this.rest = this.rest.subarray(safe);
        yield chunk;
      }
      await this.more();
    }
  }

  private async more(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done) throw broken("it is not complete");
    this.rest = Buffer.concat([this.rest, next.value]);
  }
}

function unescaped(name: string): string {
  return name.replace(/%22/g, '"').replace(/\\(.)/g, "$1");
}

function broken(why: string): Failure {
  return new Failure("INVALID_INPUT", `The form cannot be read: ${why}.`);
}
