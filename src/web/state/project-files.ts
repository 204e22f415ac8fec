import { create } from "zustand";
import { t } from "../text/projects.ts";
import { reasonAgainst } from "./attachable.ts";
import { whyNotUploaded } from "./attachments.ts";
import { removeWithUndo } from "./leaving.ts";
import { person } from "./person.ts";
import { upload } from "./server.ts";

interface Sent {
  key: number;
  projectId: string;
  name: string;
  /** Why it was not added. Missing while it is sent and read. */
  reason?: string;
}

let count = 0;

/** Files that are on their way into a project, or were refused. */
export const projectFiles = create<{ sent: Sent[] }>(() => ({ sent: [] }));

const filesAddress = (projectId: string) => `/projects/${encodeURIComponent(projectId)}/files`;

/** Adds files to a project, one after the other. Those that can't be used stay in the list with the reason. */
export async function addFiles(
  projectId: string,
  files: Iterable<File>,
  refresh: () => Promise<void>,
): Promise<void> {
  const all = [...files].map((file) => ({ file, entry: { key: ++count, projectId, name: file.name } }));
  projectFiles.setState(({ sent }) => ({ sent: [...sent, ...all.map(({ entry }) => entry)] }));
  for (const { file, entry } of all) {
    const reason = await send(file, projectId);
    if (reason === undefined) dismissFile(entry.key);
    else
      projectFiles.setState(({ sent }) => ({
        sent: sent.map((one) => (one.key === entry.key ? { ...one, reason } : one)),
      }));
    if (reason === undefined) await refresh();
  }
}

/** Returns why the file could not be added. */
async function send(file: File, projectId: string): Promise<string | undefined> {
  const { accepts } = person.getState().me ?? {};
  try {
    const reason = accepts && (await reasonAgainst(file, accepts));
    if (reason) return t(reason.key, reason.values);
    await upload(file, filesAddress(projectId));
    return undefined;
  } catch (error) {
    return whyNotUploaded(error);
  }
}

/** Takes a file out of the list of those that are sent or were refused. */
export function dismissFile(key: number): void {
  projectFiles.setState(({ sent }) => ({ sent: sent.filter((one) => one.key !== key) }));
}

/** Takes a file out of a project, which can be undone for a few seconds. */
export function removeFile(
  projectId: string,
  { fileId, name }: { fileId: string; name: string },
  refresh: () => Promise<void>,
): void {
  const path = `${filesAddress(projectId)}/${fileId}`;
  removeWithUndo({ id: fileId, text: t("fileRemoved", { name }), path, refresh });
}
