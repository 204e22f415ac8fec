/** Where the service worker leaves what another program has shared, until the page takes it. */
export const SHARED_CACHE = "tackle-shared";
const MAX_FILES = 20;

/** Keeps what was shared for the page, and opens the page. */
export async function showShared(request: Request): Promise<Response> {
  const form = await request.formData();
  await caches.delete(SHARED_CACHE);
  const cache = await caches.open(SHARED_CACHE);
  const words = ["title", "text", "url"]
    .map((name) => form.get(name))
    .filter((one) => typeof one === "string");
  await cache.put("/shared/text", new Response([...new Set(words)].join("\n").trim()));
  const files = form.getAll("files").filter((one) => one instanceof File);
  await Promise.all(
    files
      .slice(0, MAX_FILES)
      .map((file, index) =>
        cache.put(
          `/shared/files/${index}?name=${encodeURIComponent(file.name)}`,
          new Response(file, { headers: { "content-type": file.type || "application/octet-stream" } }),
        ),
      ),
  );
  return Response.redirect("/#/shared", 303);
}

/** Takes what was shared. The next call finds nothing. */
export async function takeShared(): Promise<{ text: string; files: File[] }> {
  const cache = await caches.open(SHARED_CACHE);
  const text = (await (await cache.match("/shared/text"))?.text()) ?? "";
  const files: File[] = [];
  for (const request of await cache.keys()) {
    const name = new URL(request.url).searchParams.get("name");
    const kept = await cache.match(request);
    if (name === null || !kept) continue;
    const type = kept.headers.get("content-type") ?? "";
    files.push(new File([await kept.blob()], name, { type }));
  }
  await caches.delete(SHARED_CACHE);
  return { text, files };
}
