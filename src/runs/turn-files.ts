import { ATTACHED_CHARACTERS } from "../loop/estimate.ts";
import { encodingOf, isOfficeType, type TextEncodingName } from "../protocol/file-type.ts";
import type { UserFiles } from "../protocol/files.ts";
import {
  type AssistantPart,
  factsOf,
  hasFile,
  type ImagePart,
  type Message,
  type Part,
  type TextPart,
  type ToolResultPart,
} from "../protocol/messages.ts";
import type { ModelInfo } from "../protocol/model.ts";
import type { ImageState } from "../protocol/reduce.ts";
import { pauseIfLong } from "../protocol/slices.ts";

/** Reads bytes from untrusted sources safely. */
export interface FileReaders {
  /** The bytes of an image that a model made, and its real type. Throws `Failure`. */
  readImage(
    image: Pick<ImagePart, "data" | "url">,
    options: { signal: AbortSignal; maxBytes: number; fetchAllow: readonly string[] },
  ): Promise<{ bytes: Uint8Array; mimeType: string }>;
  readPdf(bytes: Uint8Array, signal: AbortSignal): Promise<string>;
  /** The text of an Office document of this type. */
  readOffice?(bytes: Uint8Array, mimeType: string, signal: AbortSignal): Promise<string>;
}

export interface TurnFilesParts {
  /** The person's files, in the session of the turn. */
  userFiles: UserFiles;
  readers: FileReaders;
  /** Reads bytes that came with a client's history. Undefined once they are gone. */
  readTemporary(id: string): Promise<Uint8Array | undefined>;
  model: ModelInfo;
  isGuest: boolean;
  maxBytes: number;
  fetchAllow: readonly string[];
  signal: AbortSignal;
  onProblem(thrown: unknown): void;
}

const PDF = "application/pdf";
/** Only the newest images are sent; older ones are mentioned. */
const MOST_IMAGES = 8;
const MOST_IMAGE_BYTES = 8 * 1024 * 1024;
const MOST_BYTES_TOGETHER = 20 * 1024 * 1024;
/** Guests share the process with everybody, and encoding images for a model takes time. */
const MOST_BYTES_OF_GUEST = 4 * 1024 * 1024;
const MOST_CHARACTERS_TOGETHER = 200_000;
const STORING_MS = 15_000;

/** What still fits into one model request. */
interface Room {
  images: number;
  bytes: number;
  characters: number;
}

/** Reads files for the model, and stores the images that it makes. */
export function createTurnFiles(parts: TurnFilesParts) {
  const loaded = new Map<string, Promise<Uint8Array | undefined>>();
  const texts = new Map<string, Promise<AttachedText | undefined>>();

  /** Loads a file once per turn. Undefined if it is gone or unreadable; the model is then told so. */
  function load(id: string, from = loadFile): Promise<Uint8Array | undefined> {
    const known = loaded.get(id);
    if (known) return known;
    const loading = from(id).catch((thrown: unknown) => {
      parts.onProblem(thrown);
      return undefined;
    });
    loaded.set(id, loading);
    return loading;
  }

  async function loadFile(id: string): Promise<Uint8Array | undefined> {
    return (await parts.userFiles.load(id)).bytes;
  }

  function read({ id, mimeType }: NonNullable<TextPart["file"]>): Promise<AttachedText | undefined> {
    const known = texts.get(id);
    if (known) return known;
    const reading = load(id).then((bytes) => bytes && textFrom(bytes, mimeType));
    texts.set(id, reading);
    return reading;
  }

  async function textFrom(bytes: Uint8Array, mimeType: string): Promise<AttachedText> {
    const { readPdf, readOffice } = parts.readers;
    const isOffice = readOffice !== undefined && isOfficeType(mimeType);
    if (mimeType !== PDF && !isOffice) return decodeBeginning(bytes, encodingOf(mimeType));
    try {
      const text = isOffice
        ? await readOffice(bytes, mimeType, parts.signal)
        : await readPdf(bytes, parts.signal);
      return { beginning: text.slice(0, ATTACHED_CHARACTERS), length: text.length };
    } catch {
      parts.signal.throwIfAborted();
      const beginning = `[This ${isOffice ? "document" : "PDF"} could not be read.]`; // The model passes this on to the person.
      return { beginning, length: beginning.length };
    }
  }

  return {
    async withFiles(messages: Message[]): Promise<Message[]> {
      const bytes = parts.isGuest ? MOST_BYTES_OF_GUEST : MOST_BYTES_TOGETHER;
      const room = { images: MOST_IMAGES, bytes, characters: MOST_CHARACTERS_TOGETHER };
      if (!factsOf(messages).files) return messages;
      const filled = [...messages];
      for (let at = filled.length - 1; at >= 0; at--) {
        const message = filled[at];
        if (message?.parts.some(hasFile)) filled[at] = await fill(message, room);
      }
      return filled;
    },
    async keepImage(image: ImagePart): Promise<{ kept: AssistantPart; shown?: ImageState }> {
      const { signal, maxBytes, fetchAllow, userFiles, readers } = parts;
      let found: Awaited<ReturnType<FileReaders["readImage"]>> | undefined;
      try {
        found = await readers.readImage(image, { signal, maxBytes, fetchAllow });
        const until = AbortSignal.any([signal, AbortSignal.timeout(STORING_MS)]);
        const { file, url } = await userFiles.save(found.bytes, { name: "image", signal: until });
        const { mimeType } = file;
        const metadata = image.metadata ? { metadata: image.metadata } : {};
        return {
          kept: { type: "image", mimeType, fileId: file.id, ...metadata },
          shown: { imageUrl: url, mimeType, storageSucceeded: true, degradedMode: false },
        };
      } catch (thrown) {
        parts.onProblem(thrown);
        const kept: AssistantPart = { type: "text", text: "[An image was made here. It could not be kept.]" };
        if (!found) return { kept };
        const imageData = Buffer.from(found.bytes).toString("base64");
        const { mimeType } = found;
        return { kept, shown: { imageData, mimeType, storageSucceeded: false, degradedMode: true } };
      }
    },
  };

  async function fill(message: Message, room: Room): Promise<Message> {
    const filled: Part[] = [];
    for (const part of message.parts.toReversed()) {
      if (part.type === "image" && part.mimeType === PDF) filled.unshift(await fillDocument(part, room));
      else if (part.type === "image") filled.unshift(await fillImage(part, isSeen(message.role), room));
      else if (part.type === "tool_result" && part.images) filled.unshift(await fillResult(part, room));
      else if (part.type === "text" && part.file) filled.unshift(await fillText(part, room));
      else filled.unshift(part);
    }
    return { ...message, parts: filled };
  }

  /** Generated images are useful only to models that make images. */
  function isSeen(role: Message["role"]): boolean {
    return role === "assistant" ? parts.model.outputsImages === true : parts.model.supportsImages !== false;
  }

  /** Fills the images of a result, which the model sees as if the person had attached them. Documents are read. */
  async function fillResult({ images = [], output, ...part }: ToolResultPart, room: Room) {
    const seen: ImagePart[] = [];
    const texts = [output];
    for (const image of images) {
      if (image.mimeType === PDF) texts.push((await fillDocument(image, room)).text);
      else seen.push(await fillImage(image, isSeen("user"), room));
    }
    return { ...part, output: texts.join(""), ...(seen.length > 0 ? { images: seen } : {}) };
  }

  async function fillImage(part: ImagePart, wanted: boolean, room: Room): Promise<ImagePart> {
    // A client that sends the whole history decides itself what to leave out.
    const aside =
      wanted && part.asideId !== undefined ? await load(part.asideId, parts.readTemporary) : undefined;
    if (aside) return { ...part, data: encodeImage(aside) };
    if (!wanted || part.fileId === undefined || room.images <= 0) return part;
    room.images--;
    const bytes = await load(part.fileId);
    if (!bytes || bytes.length > Math.min(MOST_IMAGE_BYTES, room.bytes)) return part;
    room.bytes -= bytes.length;
    return { ...part, data: encodeImage(bytes) };
  }

  /** A document that came with a client's history is read as text. */
  async function fillDocument({ asideId }: ImagePart, room: Room): Promise<TextPart> {
    const bytes = asideId === undefined ? undefined : await load(asideId, parts.readTemporary);
    const text = bytes && (await textFrom(bytes, PDF));
    return { type: "text", text: shownText("document.pdf", text, room) };
  }

  async function fillText(part: TextPart, room: Room): Promise<TextPart> {
    const { file } = part;
    if (!file) return part;
    const text = room.characters > 0 ? await read(file) : undefined;
    return { ...part, text: shownText(file.name, text, room) };
  }
}

/** Returns as much of an attached text as there is room for. */
function shownText(name: string, text: AttachedText | undefined, room: Room): string {
  const cut = text?.beginning.slice(0, room.characters).toWellFormed();
  room.characters -= cut?.length ?? 0;
  return labeled(name, cut, (text?.length ?? 0) - (cut?.length ?? 0));
}

/** As much of a text file as a model is shown, and the length of all of it. */
interface AttachedText {
  beginning: string;
  length: number;
}

const DECODED_AT_ONCE = 512 * 1024;

/** Decodes a file in pieces, because it may be long. */
async function decodeBeginning(bytes: Uint8Array, encoding: TextEncodingName): Promise<AttachedText> {
  const decoder = new TextDecoder(encoding);
  const found = { beginning: "", length: 0 };
  for (let at = 0; at < bytes.length; at += DECODED_AT_ONCE) {
    const piece = bytes.subarray(at, at + DECODED_AT_ONCE);
    const text = decoder.decode(piece, { stream: at + DECODED_AT_ONCE < bytes.length });
    found.beginning += text.slice(0, ATTACHED_CHARACTERS - found.beginning.length);
    found.length += text.length;
    await pauseIfLong();
  }
  return found;
}

function encodeImage({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** Marks attached text, because anybody may have written it. */
function labeled(name: string, text: string | undefined, left: number): string {
  const attribute = name.replace(/[<>&"]/g, "_");
  const body = text?.replaceAll("</attached_file", "<\\/attached_file") ?? "[The file is not shown here.]";
  const rest = left > 0 ? `\n[… ${left} more characters were cut]` : "";
  return `\n\n<attached_file name="${attribute}">\n${body}${rest}\n</attached_file>\n`;
}
