import type { NoticeKind } from "../../protocol/notices.ts";
import { type NoticeWords, WORDS_CACHE, WORDS_PATH } from "../installed/notice-words.ts";
import { ask } from "./server.ts";

/** What this browser is told. */
export interface NotificationChoice {
  kinds: NoticeKind[];
  titles: boolean;
}

interface Listing {
  publicKey: string;
  subscriptions: ({ endpoint: string } & NotificationChoice)[];
}

/** Returns true if this browser can show notifications here. */
export function canNotify(): boolean {
  return isSecureContext && "serviceWorker" in navigator && "PushManager" in globalThis;
}

/** Returns what this browser is told, or undefined if nothing. */
export async function readNotifications(): Promise<NotificationChoice | undefined> {
  const own = await ownSubscription();
  if (!own) return undefined;
  const { subscriptions } = await ask<Listing>("GET", "/me/push");
  return subscriptions.find(({ endpoint }) => endpoint === own.endpoint);
}

/** Has the server tell this browser what happens. Returns false if the person does not allow it. */
export async function turnOn(choice: NotificationChoice, words: NoticeWords): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const { publicKey } = await ask<Listing>("GET", "/me/push");
  const registration = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscription = await registration.pushManager.subscribe(options).catch(async () => {
    // The server has other keys than when this browser subscribed.
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    return registration.pushManager.subscribe(options);
  });
  await keepWords(words);
  await ask("POST", "/me/push", { ...subscription.toJSON(), ...choice });
  return true;
}

/** Has notifications speak another language, if there are any. */
export async function changeWords(words: NoticeWords): Promise<void> {
  if (canNotify() && (await caches.has(WORDS_CACHE))) await keepWords(words);
}

async function keepWords(words: NoticeWords): Promise<void> {
  await (await caches.open(WORDS_CACHE)).put(WORDS_PATH, Response.json(words));
}

/** Ends the notifications of this browser. */
export async function turnOff(): Promise<void> {
  const own = await ownSubscription();
  if (!own) return;
  await ask("DELETE", "/me/push", { endpoint: own.endpoint });
  await own.unsubscribe();
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}
