import { useState } from "react";
import type { WorkspaceListing } from "../../protocol/workspace.ts";
import { notifyFailure } from "../state/notices.ts";
import { mayAdminister, person } from "../state/person.ts";
import { chat } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useLoaded } from "../ui/loaded.ts";

/** Asks the owner whether the model may use what the server's folders say. */
export function TrustBanner() {
  const me = person((state) => state.me);
  return mayAdminister(me) ? <Question key={me?.id} /> : null;
}

function Question() {
  const loaded = useLoaded("workspace", () => chat.workspace());
  const [decided, setDecided] = useState<WorkspaceListing>();
  const [open, setOpen] = useState(false);
  const found = decided ?? loaded;
  if (!found || found.trusted || found.declined || found.hash === undefined) return null;
  const decide = (trusted: boolean) => {
    setOpen(false);
    chat.trustWorkspace(found.hash, trusted).then(setDecided).catch(notifyFailure);
  };
  const buttons = (
    <>
      <Button className="link" onClick={() => decide(true)}>
        {t("trustFolder")}
      </Button>{" "}
      <Button className="link" onClick={() => decide(false)}>
        {t("distrustFolder")}
      </Button>
    </>
  );
  return (
    <>
      <p className="banner" data-part="banner" role="status">
        {t("folderSays")}{" "}
        <Button className="link" onClick={() => setOpen(true)}>
          {t("lookAtFolder")}
        </Button>{" "}
        {buttons}
      </p>
      {open && (
        <Dialog title={t("folderTexts")} onClose={() => setOpen(false)}>
          {found.instructions.map(({ path, source, text }) =>
            source === "project" ? (
              <section key={path}>
                <h3>{path}</h3>
                <pre className="output">{text}</pre>
              </section>
            ) : null,
          )}
          {found.skills.map(({ name, description, source }) =>
            source === "project" ? (
              <p key={name}>
                <strong>/{name}</strong> {description}
              </p>
            ) : null,
          )}
          <p>{buttons}</p>
        </Dialog>
      )}
    </>
  );
}
