import { fileNameFrom } from "../../protocol/file-names.ts";
import { attempt } from "../state/notices.ts";
import { chat } from "../state/server.ts";
import { saveBlob } from "./save-blob.ts";

/** Saves a conversation as a file. */
export async function download(sessionId: string, format: "md" | "json"): Promise<void> {
  await attempt(async () => {
    const [{ title }, text] = [await chat.getSession(sessionId), await chat.exportSession(sessionId, format)];
    saveFile(fileNameFrom(title, format), text, format === "md" ? "text/markdown" : "application/json");
  });
}

/** Downloads a text as a file. */
export function saveFile(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type }));
}
