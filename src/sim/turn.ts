/** A piece of an answer: raw text or bytes, one SSE event, a comment line, or a pause. */
export type Frame =
  | string
  | Uint8Array
  | { json: unknown; event?: string }
  | { comment: string }
  | { waitMs: number }
  /** Pauses until the promise settles, so that a test decides when the stream continues. */
  | { hold: Promise<unknown> };

/** Faults of an answer. Pauses do not count as frames. */
export interface Faults {
  /** `reset` drops the connection before any header; `silence` accepts the request and never answers. */
  beforeHeaders?: "reset" | "silence";
  /** Drops the connection in the middle of the body. */
  cutAfterFrames?: number;
  cutAfterBytes?: number;
  /** Sends nothing more, but keeps the connection open. */
  silentAfterFrames?: number;
  /** Inserts random bytes between two frames. */
  garbageAfterFrames?: number;
  /** Splits the body into packets of `bytes`, regardless of frames, and sends one every `everyMs`. */
  slow?: { bytes: number; everyMs: number };
  /** Repeats all frames until the client disconnects. */
  endless?: boolean;
}

/** One answer of the upstream. */
export interface Turn {
  status?: number;
  headers?: Record<string, string>;
  /** `text/event-stream` by default. */
  contentType?: string;
  frames: readonly Frame[];
  /** Before the headers. */
  delayMs?: number;
  /** Between two frames; 0 sends all at once. Late frames catch up, so the pace does not drift. */
  gapMs?: number;
  faults?: Faults;
}

/** An encoded piece of the body, and what to wait for before sending it. */
export interface Packet {
  bytes: Uint8Array;
  waitMs: number;
  hold?: Promise<unknown>;
  /** False if it belongs to the previous packet and needs no gap. */
  paced: boolean;
}

export type Ending = "end" | "cut" | "silence" | "again";

export interface Script {
  packets: Packet[];
  gapMs: number;
  ending: Ending;
}

const scripts = new WeakMap<Turn, Script>();

/** Returns the turn as packets. Each turn is encoded once, so that replaying it costs only the writes. */
export function scriptOf(turn: Turn): Script {
  let script = scripts.get(turn);
  if (!script) {
    script = compile(turn);
    scripts.set(turn, script);
  }
  return script;
}

function compile(turn: Turn): Script {
  const faults = turn.faults ?? {};
  let packets = packetsOf(turn.frames, faults);
  let ending: Ending = faults.endless ? "again" : "end";
  if (faults.silentAfterFrames !== undefined) ending = "silence";
  if (faults.cutAfterFrames !== undefined) ending = "cut";
  if (faults.cutAfterBytes !== undefined) {
    packets = [whole(packets, faults.cutAfterBytes)];
    ending = "cut";
  }
  if (faults.slow) return { packets: slices(packets, faults.slow.bytes), gapMs: faults.slow.everyMs, ending };
  const gapMs = turn.gapMs ?? 0;
  return { packets: gapMs > 0 ? packets : joined(packets), gapMs, ending };
}

function packetsOf(frames: readonly Frame[], faults: Faults): Packet[] {
  const limit = Math.min(faults.cutAfterFrames ?? Infinity, faults.silentAfterFrames ?? Infinity);
  const packets: Packet[] = [];
  let waitMs = 0;
  let hold: Promise<unknown> | undefined;
  let count = 0;
  for (const frame of frames) {
    if (count >= limit) break;
    if (isPause(frame)) {
      if ("waitMs" in frame) waitMs += frame.waitMs;
      else hold = frame.hold;
      continue;
    }
    if (count === faults.garbageAfterFrames) packets.push(immediate(garbage(count + 1)));
    packets.push({ bytes: encodeFrame(frame), waitMs, hold, paced: true });
    count++;
    waitMs = 0;
    hold = undefined;
  }
  if (faults.garbageAfterFrames !== undefined && count <= faults.garbageAfterFrames) {
    packets.push(immediate(garbage(count + 1)));
  }
  // A pause after the last frame delays the end of the body.
  if (waitMs > 0 || hold) packets.push({ bytes: new Uint8Array(0), waitMs, hold, paced: false });
  return packets;
}

function isPause(frame: Frame): frame is { waitMs: number } | { hold: Promise<unknown> } {
  return typeof frame === "object" && ("waitMs" in frame || "hold" in frame);
}

function encodeFrame(frame: Exclude<Frame, { waitMs: number } | { hold: Promise<unknown> }>): Uint8Array {
  if (frame instanceof Uint8Array) return frame;
  if (typeof frame === "string") return Buffer.from(frame);
  if ("comment" in frame) return Buffer.from(`: ${frame.comment}\n\n`);
  const event = frame.event === undefined ? "" : `event: ${frame.event}\n`;
  return Buffer.from(`${event}data: ${JSON.stringify(frame.json)}\n\n`);
}

function immediate(bytes: Uint8Array): Packet {
  return { bytes, waitMs: 0, paced: false };
}

const LARGEST_WRITE = 64 * 1024;

/** Joins packets between two pauses, up to a sensible size. */
function joined(packets: Packet[]): Packet[] {
  const groups: { first: Packet; chunks: Uint8Array[]; size: number }[] = [];
  for (const packet of packets) {
    const last = groups.at(-1);
    const fits = last && last.size + packet.bytes.length <= LARGEST_WRITE;
    if (last && fits && packet.waitMs === 0 && !packet.hold) {
      last.chunks.push(packet.bytes);
      last.size += packet.bytes.length;
    } else {
      groups.push({ first: packet, chunks: [packet.bytes], size: packet.bytes.length });
    }
  }
  return groups.map(({ first, chunks, size }) => ({
    ...first,
    bytes: chunks.length === 1 ? first.bytes : Buffer.concat(chunks, size),
  }));
}

function whole(packets: Packet[], limit: number): Packet {
  return immediate(Buffer.concat(packets.map((packet) => packet.bytes)).subarray(0, limit));
}

function slices(packets: Packet[], size: number): Packet[] {
  const { bytes } = whole(packets, Infinity);
  const sliced: Packet[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    sliced.push({ bytes: bytes.subarray(start, start + size), waitMs: 0, paced: true });
  }
  return sliced;
}

/** Returns 512 bytes that are neither UTF-8 nor a frame, the same for the same seed. */
function garbage(seed: number): Uint8Array {
  const bytes = new Uint8Array(512);
  let state = seed * 2654435761;
  for (let index = 0; index < bytes.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[index] = 0x80 | (state >>> 24);
  }
  return bytes;
}
