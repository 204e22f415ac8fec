import { forgetPart, useChosenPart } from "../state/chosen-part.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

const MOST_SHOWN = 60;

/** The part of an artifact that the message is about. */
export function PartChip() {
  const part = useChosenPart();
  if (!part) return null;
  return (
    <ul className="attachments">
      <li data-part="chosen-part">
        <Icon name="point" />
        <span dir="auto">{t("changePart", { part: wordsOf(part.html) })}</span>
        <IconButton icon="close" label={t("removePart")} onClick={forgetPart} />
      </li>
    </ul>
  );
}

/** Returns the words of a part, or its tag if it has none. */
function wordsOf(html: string): string {
  const words = html
    .replace(/<[^>]*>?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return (words || (/^<[\w-]+/.exec(html)?.[0] ?? "").slice(1)).slice(0, MOST_SHOWN);
}
