import { useRef } from "react";
import { create } from "zustand";
import { failureOf } from "../../client/failure.ts";
import type { Project, ProjectFile } from "../../protocol/projects.ts";
import { attempt, notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/projects.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";

/** The names of the files that are being sent and read. */
const sending = create<{ names: string[] }>(() => ({ names: [] }));

/** Adds files to a project, one after the other. */
export async function uploadFiles(
  id: string,
  files: Iterable<File>,
  refresh: () => Promise<void>,
): Promise<void> {
  const all = [...files];
  sending.setState(({ names }) => ({ names: [...names, ...all.map(({ name }) => name)] }));
  for (const file of all) {
    try {
      const response = await fetch(`/projects/${id}/files?name=${encodeURIComponent(file.name)}`, {
        method: "POST",
        headers: { "content-type": file.type || "application/octet-stream" },
        body: file,
      });
      if (!response.ok) throw await failureOf(response);
    } catch (error) {
      notifyFailure(error);
    }
    sending.setState(({ names }) => ({ names: names.toSpliced(names.indexOf(file.name), 1) }));
    await refresh();
  }
}

/** The files of a project. Models can search them. */
export function Files(props: { project: Project; turn: number; refresh(): Promise<void> }) {
  const { project, turn, refresh } = props;
  const { id, access } = project;
  const listed = useRoute<{ files: ProjectFile[] }>(`/projects/${id}/files`, turn);
  const names = sending((state) => state.names);
  const field = useRef<HTMLInputElement>(null);
  const mayChange = access !== "read";
  return (
    <section>
      <h2>
        {t("files")}
        {mayChange && <IconButton icon="plus" label={t("addFiles")} onClick={() => field.current?.click()} />}
      </h2>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          void uploadFiles(id, [...(target.files ?? [])], refresh);
          target.value = "";
        }}
      />
      {listed?.files.length === 0 && names.length === 0 && <p className="hint">{emptyText(mayChange)}</p>}
      <ul className="project-files">
        {listed?.files.map((file) => (
          <li key={file.fileId}>
            <Icon name={file.mimeType.startsWith("image/") ? "image" : "file"} size="small" />
            <a href={`/projects/${id}/files/${file.fileId}`} target="_blank" rel="noopener noreferrer">
              <span dir="auto">{file.name}</span>
              {file.problem !== undefined && <small>{t("fileNotSearched")}</small>}
            </a>
            {mayChange && (
              <IconButton
                icon="close"
                label={t("removeFile", { name: file.name })}
                onClick={() =>
                  void attempt(async () => {
                    await ask("DELETE", `/projects/${id}/files/${file.fileId}`);
                    await refresh();
                  })
                }
              />
            )}
          </li>
        ))}
        {names.map((name, index) => (
          <li key={`${index} ${name}`} aria-busy="true">
            <span className="ring" />
            <span>
              <span dir="auto">{name}</span>
              <small>{t("fileReading")}</small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Fingers can't drop files, and those who only use a project can't add any. */
function emptyText(mayChange: boolean): string {
  if (!mayChange) return t("noFilesHere");
  return t(matchMedia("(pointer: coarse)").matches ? "filesHintTouch" : "filesHint");
}
