import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in Spanish. */
export const appsSpanish: Record<keyof typeof appsEnglish, Text> = {
  appName: "Aplicación de {server}",
  appWantsCall:
    "La aplicación de {server} quiere usar una herramienta. Lo decide por su cuenta: nadie se lo ha pedido.",
  appMessage: "La aplicación de {server} quiere decir esto en tu nombre:",
  appLink: "La aplicación de {server} quiere abrir {url}",
  appDownload: "La aplicación de {server} quiere guardar {name} ({size}).",
  appContext: "Con tu próximo mensaje, la aplicación de {server} le dirá al modelo:",
  appCalls: "Llamadas de la aplicación ({count})",
  appGone:
    "No se puede mostrar la interfaz de esta herramienta: su servidor no está disponible y no se guardó nada.",
  appOffline: "Esta aplicación pidió acceso a {domains}. Funciona sin él.",
  fullscreen: "Pantalla completa",
  leaveFullscreen: "Salir de pantalla completa",
  sendIt: "Enviar",
  dismiss: "Descartar",
  stopApp: "Detener la aplicación",
  appSilent: "La aplicación no responde. Puede que esté bloqueada o que aún se esté cargando.",
};
