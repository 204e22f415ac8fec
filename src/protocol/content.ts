import { isObject } from "./json.ts";

/** What a resource holds: a text, or bytes in base64. */
export type ResourceContents = { uri: string; mimeType?: string } & ({ text: string } | { blob: string });

/** One part of a result or prompt, in the form of MCP. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: ResourceContents }
  | { type: "resource_link"; uri: string; name: string; description?: string; mimeType?: string };

/** Returns the valid parts among these. People's own tools may return anything. */
export function contentFrom(parts: unknown): ContentBlock[] {
  return Array.isArray(parts) ? parts.flatMap(blockFrom) : [];
}

/** Returns a text for models that cannot take the parts themselves. Images are left out: models get them separately. */
export function textOfContent(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      if (block.type === "resource") return [resourceText(block.resource)];
      if (block.type === "resource_link") return [resourceText(block)];
      return block.type === "audio" ? [`[audio: ${block.mimeType}]`] : [];
    })
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Returns the images among these parts. */
export function imagesOfContent(content: readonly ContentBlock[]): { mimeType: string; base64: string }[] {
  return content.flatMap((block) =>
    block.type === "image" ? [{ mimeType: block.mimeType, base64: block.data }] : [],
  );
}

/** Replaces every text of these parts, and nothing else. */
export function mapTexts(content: readonly ContentBlock[], map: (text: string) => string): ContentBlock[] {
  return content.map((block) => {
    if (block.type === "text") return { ...block, text: map(block.text) };
    return block.type === "resource" ? { ...block, resource: mapText(block.resource, map) } : block;
  });
}

/** Replaces the text of a resource, if it has one. */
export function mapText(contents: ResourceContents, map: (text: string) => string): ResourceContents {
  return "text" in contents ? { ...contents, text: map(contents.text) } : contents;
}

/** Returns a resource as a tool of a person's own gives it: an address, or an object with its content. */
export function resourceBlock(resource: unknown): ContentBlock[] {
  if (typeof resource === "string") return [{ type: "resource_link", uri: resource, name: resource }];
  if (!isObject(resource)) return [];
  const uri = String(resource.uri ?? resource.name ?? "");
  const { name, text, blob } = resource;
  if (typeof text === "string" || typeof blob === "string") return blockFrom({ type: "resource", resource });
  return [
    {
      type: "resource_link",
      uri,
      name: String(name ?? uri),
      ...textFields(resource, "mimeType", "description"),
    },
  ];
}

function blockFrom(block: unknown): ContentBlock[] {
  if (!isObject(block)) return [];
  const { type, text, data, mimeType, resource } = block;
  if (type === "text" && typeof text === "string") return [{ type, text }];
  if (type === "image" || type === "audio")
    return typeof data === "string" && typeof mimeType === "string" ? [{ type, data, mimeType }] : [];
  if (type === "resource" && isObject(resource)) {
    const held = contentsFrom(String(resource.uri ?? resource.name ?? ""), resource);
    return held ? [{ type, resource: held }] : [];
  }
  if (type === "resource_link" && typeof block.uri === "string") {
    const name = typeof block.name === "string" ? block.name : block.uri;
    return [{ type, uri: block.uri, name, ...textFields(block, "mimeType", "description") }];
  }
  return [];
}

/** Returns the text or the bytes that an object holds. */
export function contentsFrom(uri: string, held: Record<string, unknown>): ResourceContents | undefined {
  const known = { uri, ...textFields(held, "mimeType") };
  if (typeof held.text === "string") return { ...known, text: held.text };
  return typeof held.blob === "string" ? { ...known, blob: held.blob } : undefined;
}

function textFields<Name extends string>(
  value: Record<string, unknown>,
  ...names: Name[]
): Partial<Record<Name, string>> {
  const fields: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const field = value[name];
    if (typeof field === "string") fields[name] = field;
  }
  return fields;
}

function resourceText({ uri, mimeType, text }: { uri: string; mimeType?: string; text?: string }): string {
  const kind = mimeType === undefined ? "" : `, ${mimeType}`;
  return `[resource: ${uri}${kind}]${text === undefined ? "" : `\n${text}`}`;
}
