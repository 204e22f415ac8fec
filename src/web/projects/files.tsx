import { useRef } from "react";
import type { Project, ProjectFile } from "../../protocol/projects.ts";
import { leaving } from "../state/leaving.ts";
import { addFiles, dismissFile, projectFiles, removeFile } from "../state/project-files.ts";
import { t } from "../text/projects.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";

/** The files of a project. Models can search them. */
export function Files(props: { project: Project; turn: number; refresh(): Promise<void> }) {
  const { project, turn, refresh } = props;
  const { id, access } = project;
  const listed = useRoute<{ files: ProjectFile[] }>(`/projects/${id}/files`, turn);
  const sent = projectFiles((state) => state.sent).filter(({ projectId }) => projectId === id);
  const hidden = leaving((state) => state.ids);
  const files = listed?.files.filter(({ fileId }) => !hidden.includes(fileId));
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
          void addFiles(id, [...(target.files ?? [])], refresh);
          target.value = "";
        }}
      />
      {files?.length === 0 && sent.length === 0 && <p className="hint">{emptyText(mayChange)}</p>}
      <ul className="project-files">
        {files?.map((file) => (
          <li key={file.fileId}>
            <Icon name={file.mimeType.startsWith("image/") ? "image" : "file"} size="small" />
            <a href={`/projects/${id}/files/${file.fileId}`} target="_blank" rel="noopener noreferrer">
              <span dir="auto">{file.name}</span>
              {file.problem !== undefined && (
                <small>{t(file.characters ? "filePartlySearched" : "fileNotSearched")}</small>
              )}
            </a>
            {mayChange && (
              <IconButton
                icon="close"
                label={t("removeFile", { name: file.name })}
                onClick={() => removeFile(id, file, refresh)}
              />
            )}
          </li>
        ))}
        {sent.map(({ key, name, reason }) =>
          reason === undefined ? (
            <li key={key} aria-busy="true">
              <span className="ring" />
              <span>
                <span dir="auto">{name}</span>
                <small>{t("fileReading")}</small>
              </span>
            </li>
          ) : (
            <li key={key} className="refused-file">
              <Icon name="warning" size="small" />
              <span>
                <span dir="auto">{name}</span>
                <small role="alert">{reason}</small>
              </span>
              <IconButton icon="close" label={t("removeFile", { name })} onClick={() => dismissFile(key)} />
            </li>
          ),
        )}
      </ul>
    </section>
  );
}

/** Fingers can't drop files, and those who only use a project can't add any. */
function emptyText(mayChange: boolean): string {
  if (!mayChange) return t("noFilesHere");
  return t(matchMedia("(pointer: coarse)").matches ? "filesHintTouch" : "filesHint");
}
