import type { settingsEnglish } from "../settings-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the settings in Spanish. */
export const settingsSpanish: Record<keyof typeof settingsEnglish, Text> = {
  modelsAndKeys: "Modelos y claves",
  importHint: "Chats de ChatGPT, Claude, LibreChat u otro Tackle.",
  toolsByAdministrator:
    "Los administradores de este servidor conectan servicios aquí. Tú eliges qué herramientas están activas debajo del cuadro de mensaje.",
  modelsAndKeysHint: "Tus claves se quedan en este servidor y se usan antes que las suyas.",
  textSize: "Tamaño del texto",
  textSize_small: "Pequeño",
  textSize_medium: "Mediano",
  textSize_large: "Grande",
  sendWith: "Enviar mensajes con",
  guestAccount:
    "Has entrado como invitado. Inicia sesión para conservar tus chats y usarlos en otros dispositivos.",
  accountName: "Nombre",
  accountEmail: "Correo electrónico",
  accountPassword: "Contraseña",
  passwordDots: "Al cambiarla se cierran todas las demás sesiones.",
  noPassword: "Ninguna. Inicias sesión sin contraseña.",
  changePassword: "Cambiar contraseña",
  currentPassword: "Contraseña actual",
  newPassword: "Contraseña nueva",
  passwordHint: "Al menos 8 caracteres.",
  passwordChanged: "Contraseña cambiada. Tu sesión se ha cerrado en todos los demás sitios.",
  devices: "Dispositivos",
  deviceName: "{browser} en {system}",
  deviceUnknown: "Dispositivo desconocido",
  thisDevice: "Este dispositivo",
  deviceUsed: "Inicio de sesión: {since}; último uso: {last}",
  signOut: "Cerrar sesión",
  endDevice: "Cerrar sesión en {name}",
  apiKeys: "Claves para programas",
  apiKeysHint:
    "Un programa con una de estas claves usa este servidor en tu nombre. No puede crear claves ni administrar el servidor.",
  keyName: "Nombre de la clave nueva",
  makeKey: "Crear clave",
  keyShownOnce: "Cópiala ahora. No se volverá a mostrar.",
  revoke: "Revocar",
  deleteAccount: "Eliminar cuenta",
  deleteAccountHint:
    "Elimina para siempre tus conversaciones, artefactos, archivos, configuración, claves guardadas, claves para programas y datos de uso. Esto no se puede deshacer.",
  deleteAccountEmail: "Escribe {email} para confirmar",
  deleteAccountConfirm: "Tu contraseña",
  deleteAll: "Eliminar todos los chats",
  deleteAllHint: "Toda la lista y el archivo, con todo lo que se creó en ellos.",
  deleteAllQuestion: "¿Eliminar todos los chats?",
  deleteAllWarning: "No se pueden recuperar. Los proyectos, los archivos y la memoria se conservan.",
  deletedAll: "Se eliminaron todos los chats.",
};
