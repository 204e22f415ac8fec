import { useState } from "react";
import type { Owned } from "../../protocol/erasures.ts";
import { t } from "../text/administration.ts";
import { number, sizeText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useRoute } from "../ui/loaded.ts";
import type { Listed } from "./people.tsx";

interface DeletePersonProps {
  user: Listed;
  onClose(): void;
  onDelete(): Promise<void>;
}

/** Says what is deleted with a person before it is. */
export function DeletePerson({ user, onClose, onDelete }: DeletePersonProps) {
  const owned = useRoute<Owned & { keys: number }>(`/admin/users/${encodeURIComponent(user.id)}/data`);
  const [isWorking, setWorking] = useState(false);
  return (
    <Dialog title={t("deletePerson", { name: user.email })} className="narrow" onClose={onClose}>
      <p className="hint">{t("deletePersonHint")}</p>
      <ul className="deleted-data" aria-busy={owned === undefined}>
        {owned && linesOf(owned).map((line) => <li key={line}>{line}</li>)}
      </ul>
      {owned && owned.members > 0 && <p>{t("projectsShared", { count: owned.members })}</p>}
      <p className="choices">
        <Button
          className="danger"
          disabled={!owned || isWorking}
          onClick={async () => {
            setWorking(true);
            await onDelete();
            setWorking(false);
          }}
        >
          {t("deleteForGood")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </p>
    </Dialog>
  );
}

function linesOf(owned: Owned & { keys: number }): string[] {
  const { conversations, messages, files, bytes } = owned;
  const counted = (
    [
      ["ownedArtifacts", owned.artifacts],
      ["ownedProjects", owned.projects],
      ["ownedMemories", owned.memories],
      ["ownedLinks", owned.links],
      ["ownedKeys", owned.keys],
    ] as const
  ).flatMap(([key, count]) => (count > 0 ? [t(key, { count })] : []));
  return [
    t("ownedAccount"),
    ...(conversations > 0
      ? [t("ownedConversations", { count: conversations, messages: number(messages) })]
      : []),
    ...(files > 0 ? [t("ownedFiles", { count: files, size: sizeText(bytes) })] : []),
    ...counted,
  ];
}
