import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { prepareMarkdown } from "./markdown/prepare.ts";
import { watchBack } from "./shell/back.ts";
import { watchInputMethod } from "./shell/input-method.ts";
import { PageFailed } from "./shell/page-failed.tsx";
import { watchKeyboard, watchSwipes } from "./shell/touch.ts";
import { openNewArtifacts } from "./state/artifacts.ts";
import { watchVersions } from "./state/branches.ts";
import { watchConnection } from "./state/connection.ts";
import { watchDrafts } from "./state/drafts.ts";
import { notifyUnlessCutOff, watchUndo } from "./state/notices.ts";
import { watchOtherTabs } from "./state/open-session.ts";
import { watchOutbox } from "./state/outbox.ts";
import { refreshAll } from "./state/person.ts";
import { applyPreferences } from "./state/preferences.ts";
import { watchProject } from "./state/project-defaults.ts";
import { watchEditing, watchHeldDraft } from "./state/questions.ts";
import { watchSignOut } from "./state/sign-out.ts";
import { syncPreferences } from "./state/synced-preferences.ts";
import { deleteLeftovers, leaveTemporary } from "./state/temporary.ts";
import { Boundary } from "./ui/boundary.tsx";

const textsLoaded = applyPreferences();
watchConnection();
watchOtherTabs();
watchSignOut();
watchVersions();
watchEditing();
watchHeldDraft();
watchProject();
watchDrafts();
openNewArtifacts();
watchInputMethod();
watchSwipes();
watchBack();
watchKeyboard();
watchUndo();
addEventListener("pagehide", leaveTemporary);
syncPreferences();
const root = document.getElementById("app");
if (root)
  void textsLoaded.then(() =>
    createRoot(root).render(
      <Boundary instead={<PageFailed />}>
        <App />
      </Boundary>,
    ),
  );
if (isSecureContext && "serviceWorker" in navigator)
  void import("./installed/start.ts").then(({ startInstalled }) => startInstalled()).catch(console.warn);
prepareMarkdown();
// The first request creates the guest, so it must finish before the others start.
// What was written without a connection is sent when there is one, whatever could not be loaded.
refreshAll()
  .catch(notifyUnlessCutOff)
  .then(() => {
    watchOutbox();
    deleteLeftovers();
  });
