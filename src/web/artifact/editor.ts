import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";

export interface OpenEditor {
  /** Shows another text. If it continues the one before, only the end is added. */
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

/** The colors of the page: variables reach into the shadow tree and change with the theme. */
const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.link, tags.url], color: "var(--code-number)" },
  { tag: [tags.function(tags.variableName), tags.className, tags.typeName], color: "var(--code-function)" },
  { tag: [tags.comment, tags.meta], color: "var(--code-comment)" },
  { tag: [tags.attributeName, tags.propertyName], color: "var(--code-parameter)" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "700" },
]);

const EDITS = ["input", "delete", "undo", "redo"];

const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "var(--mono)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--sunken)",
    color: "var(--ink-soft)",
    borderRightColor: "var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--accent) 9%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
});

/** Opens an editor in a shadow tree, where its styles are objects: the page's policy forbids inline styles. */
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
      syntaxHighlighting(COLORS),
      LOOK,
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        const edited = transactions.some((one) => EDITS.some((kind) => one.isUserEvent(kind)));
        if (docChanged && edited) onChange(state.doc.toString());
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
