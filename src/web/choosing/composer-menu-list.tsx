import "../style/choosing.css";
import { type RefObject, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Attachment } from "../../protocol/chat.ts";
import type { Project, ProjectFile } from "../../protocol/projects.ts";
import type { SavedPrompt } from "../../protocol/prompt-fields.ts";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { openProject } from "../state/project-defaults.ts";
import { ask, chat } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Floating } from "../ui/floating.tsx";
import { movedBy } from "../ui/list-keys.ts";
import { useLoaded } from "../ui/loaded.ts";
import type { Trigger } from "./composer-menu.tsx";
import { atGroups, type ComposerItem, slashGroups } from "./composer-menu-items.ts";
import { PromptFields } from "./prompt-fields.tsx";
import { putIntoMessage } from "./put-into-message.ts";

interface Props {
  field: RefObject<HTMLTextAreaElement | null>;
  trigger: Trigger;
  onClose(): void;
}

/** The list beside the message field. The focus stays in the field. */
export function ComposerMenuList({ field, trigger, onClose }: Props) {
  const id = useId();
  const { sign, query } = trigger;
  const tools = person((state) => state.tools);
  const known = useKnown(sign);
  const project = openProject((state) => state.project);
  const box = useRef<HTMLElement>(field.current?.form ?? null);
  const [at, setAt] = useState(0);
  const [filling, setFilling] = useState<SavedPrompt>();
  const groups = useMemo(() => {
    const { prompts = [], files = [], projects = [], projectFiles = [], workspace } = known;
    if (sign === "/") return slashGroups({ prompts, tools, workspace }, query);
    return atGroups({ files, project, projectFiles, projects, tools }, query);
  }, [sign, known, tools, project, query]);
  const items = useMemo(() => groups.flatMap((group) => group.items), [groups]);
  const marked = Math.min(at, items.length - 1);

  function choose(item: ComposerItem | undefined): void {
    if (!item) return;
    if (item.type === "prompt" && item.prompt.fields.length > 0) setFilling(item.prompt);
    else {
      onClose();
      putIntoMessage(item, trigger);
    }
  }

  const keys = useRef<(event: KeyboardEvent) => boolean>(() => false);
  keys.current = (event) => {
    if (filling || items.length === 0) return false;
    const moves = event.key === "ArrowDown" || event.key === "ArrowUp";
    const moved = moves ? movedBy(event.key, marked, items.length) : undefined;
    if (moved !== undefined) setAt(moved);
    else if (event.key === "Escape") onClose();
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) choose(items[marked]);
    else return false;
    return true;
  };

  // As soon as it is seen: Enter would send the message otherwise.
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!keys.current(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    area.addEventListener("keydown", onKeyDown);
    return () => area.removeEventListener("keydown", onKeyDown);
  }, [field]);

  useEffect(() => {
    const area = field.current;
    if (!area || filling || items.length === 0) return;
    area.setAttribute("aria-controls", `${id}-list`);
    area.setAttribute("aria-activedescendant", `${id}-${marked}`);
    document.getElementById(`${id}-${marked}`)?.scrollIntoView({ block: "nearest" });
    return () => {
      area.removeAttribute("aria-controls");
      area.removeAttribute("aria-activedescendant");
    };
  }, [field, id, marked, items, filling]);

  if (filling) return <PromptFields field={field} prompt={filling} onClose={onClose} />;
  if (items.length === 0) return null;
  const label = t(sign === "/" ? "slashMenu" : "atMenu");
  return (
    <Floating
      anchor={box}
      sheet={false}
      onClose={onClose}
      role="listbox"
      aria-label={label}
      id={`${id}-list`}
      className="menu-list composer-menu"
    >
      {groups.map(({ heading, items: some }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
        <div key={heading} role="group" aria-label={heading || label}>
          {heading !== "" && (
            <div className="menu-heading" aria-hidden="true">
              {heading}
            </div>
          )}
          {some.map((item) => {
            const index = items.indexOf(item);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the message field has the keys and the focus
              <div
                key={item.key}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === marked}
                data-at={index === marked}
                onPointerDown={(event) => event.preventDefault()}
                onPointerMove={() => index !== at && setAt(index)}
                onClick={() => choose(item)}
              >
                <span className="entry" dir="auto">
                  {item.label}
                </span>
                <span className="entry-hint">{item.hint}</span>
              </div>
            );
          })}
        </div>
      ))}
    </Floating>
  );
}

interface Known {
  prompts?: SavedPrompt[];
  workspace?: Awaited<ReturnType<typeof chat.workspace>>;
  files?: Attachment[];
  projects?: Project[];
  projectFiles?: ProjectFile[];
}

const NOTHING: Known = {};

/** Loads what the sign offers. What can't be read, for instance because guests have none, is left out. */
function useKnown(sign: Trigger["sign"]): Known {
  const projectId = conversation((state) => state.projectId);
  const or = async (found: Promise<Known>): Promise<Known> => found.catch(() => NOTHING);
  const read = (path: string) => or(ask<Known>("GET", path));
  const load = async (): Promise<Known> => {
    if (sign === "/") {
      const skills = chat.workspace().then((workspace): Known => ({ workspace }));
      const [prompts, workspace] = await Promise.all([read("/prompts"), or(skills)]);
      return { ...prompts, ...workspace };
    }
    const [files, projects, inProject] = await Promise.all([
      read("/files"),
      read("/projects"),
      projectId === undefined ? NOTHING : or(filesOf(projectId)),
    ]);
    return { ...files, ...projects, ...inProject };
  };
  return useLoaded(`${sign} ${projectId}`, load) ?? NOTHING;
}

async function filesOf(projectId: string): Promise<Known> {
  const path = `/projects/${encodeURIComponent(projectId)}/files`;
  const { files } = await ask<{ files: ProjectFile[] }>("GET", path);
  return { projectFiles: files };
}
