// Draws the app's icons: the mark, white on the accent color, as PNG files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const GROUND = [0x0b, 0x6b, 0x63];
/** Where the mark's grid of 24 lies in a square of 64, as in `icon.svg`. */
const MARK = { x: 10, y: 9.5, scale: 1.833 };

/** Writes the icons into a folder. */
export function writeIcons(folder) {
  mkdirSync(folder, { recursive: true });
  const icons = {
    "icon-192": [192, true],
    "icon-512": [512, true],
    "maskable-192": [192],
    "maskable-512": [512],
    "touch-180": [180],
  };
  for (const [name, [size, rounded]] of Object.entries(icons))
    writeFileSync(join(folder, `${name}.png`), png(size, rounded ? 14 : 0));
}

/** Returns a square PNG. With a radius (of 64) its corners are round and transparent. */
function png(size, radius) {
  const rows = Buffer.alloc(size * (size * 4 + 1));
  const unit = 64 / size;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const x = (column + 0.5) * unit;
      const y = (row + 0.5) * unit;
      const mark = coverage(toMark((x - MARK.x) / MARK.scale, (y - MARK.y) / MARK.scale) * MARK.scale, unit);
      const ground = radius === 0 ? 1 : coverage(toRoundedSquare(x, y, radius), unit);
      const at = row * (size * 4 + 1) + 1 + column * 4;
      GROUND.forEach((color, index) => {
        rows[at + index] = Math.round(color + (255 - color) * mark);
      });
      rows[at + 3] = Math.round(255 * ground);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6], 8); // 8 bits for each of red, green, blue and alpha.
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns how much of a pixel is inside a shape whose edge is `distance` away. */
function coverage(distance, pixel) {
  return Math.min(1, Math.max(0, 0.5 - distance / pixel));
}

/** Returns the distance to the mark: a rope over a wheel, with its load. It is negative inside. */
function toMark(x, y) {
  const left = Math.hypot(x - 4.8, y - clamp(y, 10.7, 20.5));
  const right = Math.hypot(x - 19.2, y - clamp(y, 10.7, 17));
  const over = y <= 10.7 ? Math.abs(Math.hypot(x - 12, y - 10.7) - 7.2) : Number.POSITIVE_INFINITY;
  const rope = Math.min(left, right, over) - 1.1;
  return Math.min(rope, Math.hypot(x - 12, y - 10.7) - 2.7, Math.hypot(x - 19.2, y - 18.6) - 3);
}

function toRoundedSquare(x, y, radius) {
  const dx = Math.abs(x - 32) - (32 - radius);
  const dy = Math.abs(y - 32) - (32 - radius);
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
}

function clamp(value, least, most) {
  return Math.min(most, Math.max(least, value));
}
