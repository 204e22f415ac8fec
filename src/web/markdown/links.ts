const SAFE = new Set(["http:", "https:", "mailto:"]);

/** The address of a link that may be followed; undefined for anything that could run or that is none. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href, "http://relative.invalid");
    // An address without a host of its own would lead into the app.
    if (!SAFE.has(url.protocol) || url.hostname === "relative.invalid") return undefined;
    return url.href;
  } catch {
    return undefined; // It is no address.
  }
}

/** The address of an image that this server holds, or that the text brings along. */
export function safeImage(href: string): string | undefined {
  if (/^\/files\/[\w-]+\?[\w=&-]+$/.test(href)) return href;
  return /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(href) ? href : undefined;
}
