/** Returns true for an address whose answers cannot be forged on the way: an encrypted one, or one on this machine. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url?.username !== "") return false;
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isLocal);
}
