import { useEffect, useRef, useState } from "react";
import { attempt } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import type { OpenEditor } from "./editor.ts";

interface Props {
  code: string;
  type: string;
  editable: boolean;
  /** The number of the version that saving would make. */
  next: number;
  onSave(code: string): Promise<void>;
}

/** The code of an artifact. Changes can be saved as a new version. */
export function CodeView({ code, type, editable, next, onSave }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<OpenEditor>(undefined);
  // While the code grows, the editor stays open and appends to it.
  const latest = useRef(code);
  latest.current = code;
  const [changed, setChanged] = useState<string>();
  const [saving, setSaving] = useState(false);

  useEffect(() => {
    let wanted = true;
    const parent = place.current;
    if (!parent) return;
    void import("./editor.ts").then(({ openEditor }) => {
      if (!wanted) return;
      editor.current = openEditor({
        parent,
        code: latest.current,
        type,
        editable,
        label: t("code"),
        onChange: setChanged,
      });
    });
    return () => {
      wanted = false;
      editor.current?.close();
      editor.current = undefined;
    };
  }, [type, editable]);

  useEffect(() => {
    setChanged(undefined);
    editor.current?.show(code);
  }, [code]);

  async function save(text: string): Promise<void> {
    setSaving(true);
    if (await attempt(() => onSave(text))) setChanged(undefined);
    setSaving(false);
  }

  return (
    <>
      <div ref={place} className="editor" />
      {changed !== undefined && changed !== code && (
        <div className="pane-foot">
          <span className="grow" />
          <Button className="primary" disabled={saving} onClick={() => save(changed)}>
            {t("saveAsVersion", { version: next })}
          </Button>
        </div>
      )}
    </>
  );
}
