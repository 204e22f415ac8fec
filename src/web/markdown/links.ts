const SAFE = new Set(["http:", "https:", "mailto:"]);

/** Returns the address of a link that is safe to follow; undefined for anything else. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href, "http://relative.invalid");
    // An address without a host would lead into the app.
    if (!SAFE.has(url.protocol) || url.hostname === "relative.invalid") return undefined;
    return url.href;
  } catch {
    return undefined; // It is not an address.
  }
}

/** Returns the address of an image that this server stores or that the text contains. */
export function safeImage(href: string): string | undefined {
  if (/^\/files\/[\w-]+\?[\w=&-]+$/.test(href)) return href;
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(href) ? href : undefined;
}
