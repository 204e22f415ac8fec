import { type RefObject, Suspense, useEffect, useState } from "react";
import { draft } from "../state/draft.ts";
import { loadLater } from "../ui/load-later.ts";

const MenuList = loadLater(async () => (await import("./composer-menu-list.tsx")).ComposerMenuList);

/** What the person is about to look for: after a slash at the beginning, or after an @. */
export interface Trigger {
  sign: "/" | "@";
  query: string;
  /** Where the sign stands. */
  from: number;
}

/** Offers saved prompts and commands after a slash, and files after an @. */
export function ComposerMenu({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const [trigger, setTrigger] = useState<Trigger>();
  const [closedAt, setClosedAt] = useState<string>();
  const text = draft((state) => state.text);

  useEffect(() => {
    const area = field.current;
    if (!area) return;
    const read = () => {
      // The fields of a prompt are being filled in.
      if (document.activeElement?.closest(".fields-form")) return;
      setTrigger(document.activeElement === area ? triggerIn(area) : undefined);
    };
    // Buttons beside the field open lists of their own. Without the window's focus the field remains the active element.
    const leave = ({ relatedTarget: next }: FocusEvent) => {
      const filling = next instanceof Element && next.closest(".fields-form");
      if (document.activeElement !== area && !filling) setTrigger(undefined);
    };
    read();
    document.addEventListener("selectionchange", read);
    area.addEventListener("focus", read);
    area.addEventListener("blur", leave);
    return () => {
      document.removeEventListener("selectionchange", read);
      area.removeEventListener("focus", read);
      area.removeEventListener("blur", leave);
    };
  }, [field]);

  // Once closed, it stays closed until the sign is gone.
  useEffect(() => {
    if (trigger === undefined || text === "") setClosedAt(undefined);
  }, [trigger, text]);

  // The page tells of a moved cursor later than of a changed text. Enter must not choose from a list whose sign is gone.
  if (trigger === undefined || text[trigger.from] !== trigger.sign || closedAt === trigger.sign) return null;
  return (
    <Suspense>
      <MenuList field={field} trigger={trigger} onClose={() => setClosedAt(trigger.sign)} />
    </Suspense>
  );
}

function triggerIn({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Trigger | undefined {
  if (selectionStart !== selectionEnd) return undefined;
  const before = value.slice(0, selectionStart);
  const slash = /^\/(\S{0,40})$/.exec(before);
  if (slash) return { sign: "/", query: slash[1] ?? "", from: 0 };
  const at = /(?:^|\s)@([^\s@]{0,40})$/.exec(before);
  return at ? { sign: "@", query: at[1] ?? "", from: before.length - (at[1]?.length ?? 0) - 1 } : undefined;
}
