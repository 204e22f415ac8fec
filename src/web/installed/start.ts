import { attach } from "../state/attachments.ts";
import { addToDraft } from "../state/draft.ts";
import { countWaiting, sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { watchCopies } from "./copies.ts";
import { newVersion } from "./new-version.ts";
import { takeShared } from "./share-target.ts";

const UPDATE_MS = 10 * 60_000;

/** What only an installed app has, in browsers that offer it. */
interface InstalledParts {
  launchQueue?: {
    setConsumer(take: (launch: { files: readonly { getFile(): Promise<File> }[] }) => void): void;
  };
}

/** Starts what makes the page an app: the service worker, copies to read offline, the badge, shared files. */
export async function startInstalled(): Promise<void> {
  watchCopies();
  showBadge();
  const { launchQueue } = globalThis as InstalledParts;
  launchQueue?.setConsumer(({ files }) => {
    void Promise.all(files.map((file) => file.getFile())).then(attach);
  });
  addEventListener("hashchange", () => void followShortcut());
  await followShortcut();
  await registerWorker();
}

async function registerWorker(): Promise<void> {
  const worker = navigator.serviceWorker;
  worker.addEventListener("controllerchange", () => void compareVersions());
  worker.addEventListener("message", ({ data }: MessageEvent<{ open?: string }>) => {
    if (data.open !== undefined) location.assign(data.open);
  });
  const registration = await worker.register("/sw.js");
  let checked = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - checked < UPDATE_MS) return;
    checked = Date.now();
    registration.update().catch(() => undefined); // The next look tries again.
  });
}

/** Offers to reload if the service worker belongs to another version than this page. */
async function compareVersions(): Promise<void> {
  const own = document.querySelector<HTMLScriptElement>("script[type=module]")?.src;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  navigator.serviceWorker.controller?.postMessage("version", [port2]);
  if (own !== undefined && new URL(own).pathname !== (await answer)) newVersion.setState({ ready: true });
}

/** Shows on the app's icon how many conversations need a decision. */
function showBadge(): void {
  if (!("setAppBadge" in navigator)) return;
  let shown = -1;
  const show = () => {
    const count = countWaiting(sessions.getState());
    if (!sessions.getState().loaded || count === shown) return;
    shown = count;
    navigator.setAppBadge(count).catch(() => undefined); // The page is not installed.
  };
  sessions.subscribe(show);
  show();
}

/** Opens what the app's shortcuts and other programs' "Share" lead to. */
async function followShortcut(): Promise<void> {
  const shortcut = location.hash;
  if (shortcut !== "#/search" && shortcut !== "#/shared") return;
  history.replaceState(null, "", "#/");
  if (shortcut === "#/search") return view.setState({ dialog: "palette" });
  const { text, files } = await takeShared();
  if (text !== "") addToDraft(text);
  if (files.length > 0) await attach(files);
}
