import { crc32, deflateSync } from "node:zlib";

/** Red, green and blue as `0xrrggbb`. */
type Color = number;

const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  "1:1": [512, 512],
  "16:9": [640, 360],
  "9:16": [360, 640],
  "4:3": [560, 420],
  "3:4": [420, 560],
};

/** Sky from top to horizon, the sun, and the hills from far to near. */
const PALETTES: readonly (readonly [Color, Color, Color, Color, Color])[] = [
  [0x2a3e7a, 0xfab084, 0xffecbe, 0x705482, 0x2c284c],
  [0x5aa0dc, 0xe2f0f6, 0xfffadc, 0x6ea884, 0x2e6854],
  [0x181a3a, 0x605496, 0xf0eefa, 0x343468, 0x161832],
  [0xfabe78, 0xffe8c4, 0xff7858, 0xc4785c, 0x783e42],
];

/** Draws a small landscape as a PNG. The same words always give the same picture. */
export function drawPicture(words: string): Buffer {
  const ratio = /\b(1:1|16:9|9:16|4:3|3:4)\b/.exec(words)?.[1] ?? "1:1";
  const [width, height] = SIZES[ratio] ?? [512, 512];
  const random = seeded(words);
  const palette = PALETTES[Math.floor(random() * PALETTES.length)] ?? PALETTES[0]!;
  const [top, horizon, sun, far, near] = palette;
  const sunAt = { x: width * (0.2 + 0.6 * random()), y: height * (0.2 + 0.25 * random()) };
  const sunRadius = Math.min(width, height) * (0.07 + 0.06 * random());
  const hills = [0.55, 0.68, 0.82].map((base, index, { length }) => ({
    color: mix(far, near, index / (length - 1)),
    edge: ridge(height * base, height * 0.09, width, random),
  }));
  const pixel = (x: number, y: number): Color => {
    const hill = hills.findLast(({ edge }) => y > edge(x));
    if (hill) return hill.color;
    const sky = mix(top, horizon, y / (height * 0.7));
    const distance = Math.hypot(x - sunAt.x, y - sunAt.y) / sunRadius;
    if (distance < 1) return sun;
    return mix(sun, sky, Math.min(1, 0.55 + (distance - 1) / 4));
  };
  return encodePng(width, height, pixel);
}

/** The outline of a row of hills: the sum of two waves. */
function ridge(base: number, swing: number, width: number, random: () => number): (x: number) => number {
  const [slow, quick, phase] = [1 + 2 * random(), 3 + 4 * random(), 2 * Math.PI * random()];
  return (x) => {
    const angle = (2 * Math.PI * x) / width;
    return base + swing * (0.7 * Math.sin(slow * angle + phase) + 0.3 * Math.sin(quick * angle));
  };
}

function mix(from: Color, to: Color, share: number): Color {
  const part = Math.min(1, Math.max(0, share));
  const channel = (shift: number) => {
    const [start, end] = [(from >> shift) & 255, (to >> shift) & 255];
    return Math.round(start + (end - start) * part) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

/** Returns random numbers between 0 and 1, seeded by the words. */
function seeded(words: string): () => number {
  let state = crc32(words);
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

function encodePng(width: number, height: number, pixel: (x: number, y: number) => Color): Buffer {
  const row = 1 + width * 3;
  const raw = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) raw.writeUIntBE(pixel(x, y), y * row + 1 + x * 3, 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // Eight bits per channel, RGB.
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
