import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { openNewArtifacts } from "./state/artifacts.ts";
import { watchEditing } from "./state/asking.ts";
import { watchConnection } from "./state/connection.ts";
import { watchOtherTabs } from "./state/conversation.ts";
import { keepPreferences } from "./state/kept-preferences.ts";
import { notifyFailure } from "./state/notices.ts";
import { refreshAll } from "./state/person.ts";
import { applyPreferences } from "./state/preferences.ts";
import { watchVersions } from "./state/reading.ts";
import { finishDeletionsOnLeave, watchSessions } from "./state/sessions.ts";

applyPreferences();
watchConnection();
watchOtherTabs();
watchVersions();
watchEditing();
openNewArtifacts();
finishDeletionsOnLeave();
watchSessions();
keepPreferences();
const root = document.getElementById("app");
if (root) createRoot(root).render(<App />);
// Who somebody is comes first: a guest is made by the first request, and must not be made twice.
refreshAll().catch(notifyFailure);
