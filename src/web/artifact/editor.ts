import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { markdown } from "@codemirror/lang-markdown";
import { basicSetup, EditorView } from "codemirror";

export interface OpenEditor {
  /** Shows another text; what it begins with in common is left alone. */
  show(code: string): void;
  close(): void;
}

interface Options {
  parent: HTMLElement;
  code: string;
  type: string;
  editable: boolean;
  label: string;
  onChange(code: string): void;
}

/** Opens an editor. It lives in a shadow tree, where its styles are objects: the page's policy allows no inline ones. */
export function openEditor({ parent, code, type, editable, label, onChange }: Options): OpenEditor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const editor = new EditorView({
    doc: code,
    root,
    parent: root,
    extensions: [
      basicSetup,
      languageFor(type),
      EditorView.lineWrapping,
      EditorView.editable.of(editable),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.theme({
        "&": { height: "100%", fontSize: "13px" },
        ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" },
      }),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (
          docChanged &&
          transactions.some(
            (one) =>
              one.isUserEvent("input") ||
              one.isUserEvent("delete") ||
              one.isUserEvent("undo") ||
              one.isUserEvent("redo"),
          )
        )
          onChange(state.doc.toString());
      }),
    ],
  });
  return {
    show(next) {
      const now = editor.state.doc.toString();
      if (now === next) return;
      if (next.startsWith(now))
        editor.dispatch({ changes: { from: now.length, insert: next.slice(now.length) } });
      else editor.dispatch({ changes: { from: 0, to: now.length, insert: next } });
    },
    close: () => editor.destroy(),
  };
}

function languageFor(type: string) {
  if (type === "react") return javascript({ jsx: true, typescript: true });
  if (type === "html" || type === "svg") return html();
  return type === "markdown" ? markdown() : [];
}
