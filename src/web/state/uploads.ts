import type { Attachment } from "../../protocol/chat.ts";
import { type Draft, draft } from "./draft.ts";

interface Upload {
  key: string;
  name: string;
  to: Draft;
  /** The conversation in whose draft it was put. */
  place: string;
  stop: AbortController;
}

/** Files on their way, in the order in which they were chosen. */
let uploads: Upload[] = [];
let shownPlace = "";

/** Puts a file on its way into a draft. Returns the signal that aborts when the person removes it. */
export function beginUpload(key: string, name: string, to: Draft): AbortSignal {
  const stop = new AbortController();
  uploads = [...uploads, { key, name, to, place: shownPlace, stop }];
  show(to);
  return stop.signal;
}

/** Ends an upload with the file that the server has now. The draft may be one that is no longer on the screen. */
export function endUpload(
  key: string,
  uploaded: Attachment | undefined,
  keepElsewhere: (place: string, file: Attachment) => void,
): void {
  const upload = uploads.find((one) => one.key === key);
  if (!upload) return;
  uploads = uploads.filter((one) => one !== upload);
  const { to, place } = upload;
  if (uploaded && isShown(upload))
    to.setState(({ attachments }) => ({ attachments: [...attachments, uploaded] }));
  else if (uploaded) keepElsewhere(place, uploaded);
  show(to);
}

/** Removes a file that is on its way. */
export function stopUpload(key: string): void {
  const upload = uploads.find((one) => one.key === key);
  uploads = uploads.filter((one) => one !== upload);
  upload?.stop.abort();
  if (upload) show(upload.to);
}

/** Returns true if the draft into which a file goes is still on the screen. */
export function goesToShown(key: string): boolean {
  const upload = uploads.find((one) => one.key === key);
  return upload !== undefined && isShown(upload);
}

/** Shows what is on its way to the draft of this conversation. */
export function showUploadsOf(place: string): void {
  shownPlace = place;
  show(draft);
}

/** What was on its way to a new chat is on its way to the conversation that it has become. */
export function moveUploads(from: string, to: string): void {
  uploads = uploads.map((one) => (one.place === from ? { ...one, place: to } : one));
  showUploadsOf(to);
}

function isShown({ to, place }: Upload): boolean {
  return to !== draft || place === shownPlace;
}

function show(to: Draft): void {
  to.setState({
    uploading: uploads.filter((one) => one.to === to && isShown(one)).map(({ key, name }) => ({ key, name })),
  });
}
