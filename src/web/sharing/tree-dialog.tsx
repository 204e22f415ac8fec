import { type KeyboardEvent, useEffect, useRef } from "react";
import type { BranchNode } from "../../protocol/chat.ts";
import { showVersion } from "../state/branches.ts";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { chat } from "../state/server.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { moment } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { movedBy } from "../ui/list-keys.ts";
import { useLoaded } from "../ui/loaded.ts";

/** Every version of every message. Choosing one shows its branch. */
export function TreeDialog({ sessionId, onClose }: { sessionId: string; onClose(): void }) {
  const nodes = useLoaded(sessionId, () => chat.tree(sessionId));
  const live = conversation((state) => state.live?.state.messageId);
  const list = useRef<HTMLDivElement>(null);
  const rows = nodes ? inOrder(nodes) : [];

  // The newest of what is shown: the arrows start there.
  useEffect(() => {
    if (nodes) [...(list.current?.querySelectorAll<HTMLElement>("[aria-current]") ?? [])].at(-1)?.focus();
  }, [nodes]);

  function onKeyDown(event: KeyboardEvent): void {
    const all = [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const next = movedBy(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  }

  return (
    <Dialog title={t("treeTitle")} onClose={onClose} className="tree-dialog" part="tree">
      <p className="hint">{t("treeHint")}</p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the buttons inside */}
      <div ref={list} className="tree" onKeyDown={onKeyDown}>
        {rows.map(({ node, depth }) => (
          <Button
            key={node.id}
            aria-current={node.shown ? "true" : undefined}
            data-role={node.role}
            style={{ paddingInlineStart: 10 + Math.min(depth, 8) * 18 }}
            onClick={() => {
              onClose();
              void showVersion(node.id);
            }}
          >
            <Icon name={node.role === "user" ? "person" : "thought"} size="small" />
            <span className="tree-text" dir="auto">
              {node.text || (node.role === "assistant" && node.id !== live ? t("compareNothing") : "…")}
            </span>
            <span className="tree-facts">
              {node.model !== undefined && `${labelOf(node.model)} · `}
              {moment(new Date(node.createdAt))}
            </span>
            {node.shown && <Icon name="check" size="small" />}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

function labelOf(id: string): string {
  return person.getState().models.find((model) => model.id === id)?.label ?? id;
}

/** Each message after the one before it, indented wherever there is more than one version. */
function inOrder(nodes: readonly BranchNode[]): { node: BranchNode; depth: number }[] {
  const children = new Map<string, BranchNode[]>();
  for (const node of nodes)
    children.set(node.parentId ?? "", [...(children.get(node.parentId ?? "") ?? []), node]);
  const rows: { node: BranchNode; depth: number }[] = [];
  const waiting = (children.get("") ?? []).map((node) => ({ node, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    rows.push(next);
    const below = children.get(next.node.id) ?? [];
    const depth = next.depth + (below.length > 1 ? 1 : 0);
    waiting.push(...below.map((node) => ({ node, depth })).reverse());
  }
  return rows;
}
