import { openNotice, showNotice } from "./notice.ts";
import { showShared } from "./share-target.ts";
import type { ServiceWorkerScope } from "./worker-types.ts";

declare const self: ServiceWorkerScope;
/** The files of the first load, entered by the build: the page's script is the first. */
declare const SHELL: { version: string; files: readonly string[] };
const shell = SHELL;

/** Every version has its own cache, so files of two versions never mix. */
const PREFIX = "tackle-shell-";
const CACHE = `${PREFIX}${shell.version}`;
/** Tabs that are still open with the version before may need its files. */
const KEPT_VERSIONS = 2;
/** What a proxy answers while the server behind it is away. */
const AWAY: readonly number[] = [502, 503, 504];

self.addEventListener("install", (event) => {
  event.waitUntil(install());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

/**
 * The page always comes from the server if it can be reached, so an upgrade shows at once. Built files have the hash of their
 * content in their names. Everything else, and so everything that belongs to a person, is none of our business here.
 */
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === "POST" && pathname === "/share-target") event.respondWith(showShared(request));
  else if (request.method !== "GET") return;
  else if (request.mode === "navigate" && pathname === "/") event.respondWith(page(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(asset(request));
  else if (shell.files.includes(pathname)) event.respondWith(fresh(request));
});

self.addEventListener("push", (event) => {
  event.waitUntil(showNotice(self, event.data?.json()));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openNotice(self, event.notification));
});

/** Answers which script the page of this version has. */
self.addEventListener("message", ({ data, ports }) => {
  if (data === "version") ports[0]?.postMessage(shell.files[0]);
});

async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  const answers = await Promise.all(
    ["/", ...shell.files].map(async (path) => {
      const response = await fetch(path, { cache: path.startsWith("/assets/") ? "default" : "reload" });
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      return [path, response] as const;
    }),
  );
  // While servers are upgraded one by one, the page may come from another version than this script.
  const html = (await answers[0]?.[1].clone().text()) ?? "";
  if (!html.includes(shell.files[0] ?? "")) throw new Error("the page is of another version");
  await Promise.all(answers.map(([path, response]) => cache.put(path, response)));
  await self.skipWaiting();
}

async function activate(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  const old = names.slice(0, Math.max(0, names.length - KEPT_VERSIONS + 1));
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function page(request: Request): Promise<Response> {
  const kept = () => caches.match("/", { cacheName: CACHE });
  try {
    const response = await fetch(request);
    return (AWAY.includes(response.status) && (await kept())) || response;
  } catch (error) {
    const page = await kept();
    if (!page) throw error;
    return page;
  }
}

async function asset(request: Request): Promise<Response> {
  const kept = await caches.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}

async function fresh(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request, { cacheName: CACHE });
    if (!kept) throw error;
    return kept;
  }
}
