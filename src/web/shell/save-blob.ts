/** Downloads bytes as a file. */
export function saveBlob(name: string, bytes: Blob): void {
  const address = URL.createObjectURL(bytes);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
