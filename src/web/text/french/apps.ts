import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in French. */
export const appsFrench: Record<keyof typeof appsEnglish, Text> = {
  appName: "Application {server}",
  appWantsCall:
    "L’application {server} veut appeler un outil. Elle le décide elle-même : personne ne le lui a demandé.",
  appMessage: "L’application {server} veut dire ceci en votre nom :",
  appLink: "L’application {server} veut ouvrir {url}",
  appDownload: "L’application {server} veut enregistrer {name} ({size}).",
  appContext: "Avec votre prochain message, l’application {server} indiquera au modèle :",
  appCalls: "Appels de l’application ({count})",
  appGone:
    "L’interface de cet outil ne peut pas s’afficher : son serveur n’est pas disponible et rien n’a été conservé.",
  appOffline: "Cette application a demandé l’accès à {domains}. Elle fonctionne sans.",
  fullscreen: "Plein écran",
  leaveFullscreen: "Quitter le plein écran",
  sendIt: "Envoyer",
  dismiss: "Ignorer",
  stopApp: "Arrêter l’application",
  appSilent: "L’application ne répond pas. Elle est peut-être bloquée ou encore en chargement.",
};
