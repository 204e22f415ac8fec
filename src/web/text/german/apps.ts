import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in German. */
export const appsGerman: Record<keyof typeof appsEnglish, Text> = {
  appName: "App von {server}",
  appWantsCall:
    "Die App von {server} möchte ein Tool aufrufen. Das tut sie von sich aus: Niemand hat sie darum gebeten.",
  appMessage: "Die App von {server} möchte das in deinem Namen sagen:",
  appLink: "Die App von {server} möchte {url} öffnen",
  appDownload: "Die App von {server} möchte {name} speichern ({size}).",
  appContext: "Mit deiner nächsten Nachricht teilt die App von {server} dem Modell mit:",
  appCalls: "Aufrufe der App ({count})",
  appGone:
    "Die Oberfläche dieses Tools lässt sich nicht zeigen: Ihr Server ist nicht erreichbar, und nichts wurde aufbewahrt.",
  appOffline: "Diese App wollte Zugriff auf {domains}. Sie läuft ohne ihn.",
  fullscreen: "Vollbild",
  leaveFullscreen: "Vollbild verlassen",
  sendIt: "Senden",
  dismiss: "Verwerfen",
  stopApp: "App stoppen",
  appSilent: "Die App reagiert nicht. Vielleicht hängt sie oder lädt noch.",
};
