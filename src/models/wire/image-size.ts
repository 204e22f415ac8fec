/** Returns the longer side of an image in pixels, read from its first bytes. Undefined if they do not say. */
export function imageSize(bytes: Uint8Array, mimeType: string): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const [width, height] = READERS[mimeType]?.(view) ?? [];
    return width && height ? Math.max(width, height) : undefined;
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined; // The file is shorter than its header says.
    throw thrown;
  }
}

type Sides = readonly [width: number, height: number] | undefined;

const READERS: Readonly<Record<string, (view: DataView) => Sides>> = {
  "image/png": (view) => [view.getUint32(16), view.getUint32(20)],
  "image/gif": (view) => [view.getUint16(6, true), view.getUint16(8, true)],
  "image/jpeg": jpegSides,
  "image/webp": webpSides,
};

/** The sides follow the marker of the first frame. */
function jpegSides(view: DataView): Sides {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
  }
  return undefined;
}

function webpSides(view: DataView): Sides {
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return [three(24), three(27)];
    case 0x56503820: // VP8
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case 0x5650384c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
    }
  }
  return undefined;
}
