/** Formats a number of bytes: `1.5 MB`. A kB is 1,024 bytes, as in all limits and settings. */
export function byteSize(bytes: number): string {
  const { value, power } = byteScale(bytes);
  if (power === 0) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  return `${Math.round(value * 10) / 10} ${["kB", "MB", "GB", "TB"][power - 1]}`;
}

/** Returns a number of bytes in its largest unit: 0 for bytes, 1 for kB and so on. */
export function byteScale(bytes: number): { value: number; power: number } {
  const power = [1, 2, 3, 4].findLast((one) => bytes >= 1024 ** one) ?? 0;
  return { value: bytes / 1024 ** power, power };
}
