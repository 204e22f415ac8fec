import type { settingsEnglish } from "../settings-english.ts";

/** Texts of the settings in German. */
export const settingsGerman: Record<keyof typeof settingsEnglish, string> = {
  modelsAndKeys: "Modelle und Schlüssel",
  importHint: "Chats aus ChatGPT, Claude, LibreChat oder einem anderen Tackle.",
  toolsByAdministrator:
    "Hier verbinden Administratoren des Servers Dienste. Welche Werkzeuge an sind, wählst du unter dem Nachrichtenfeld.",
  modelsAndKeysHint: "Deine Schlüssel bleiben auf diesem Server und gehen seinen eigenen vor.",
  textSize: "Textgröße",
  textSize_small: "Klein",
  textSize_medium: "Mittel",
  textSize_large: "Groß",
  sendWith: "Nachrichten senden mit",
  guestAccount: "Du bist Gast. Melde dich an, um deine Chats zu behalten und auf anderen Geräten zu nutzen.",
  accountName: "Name",
  accountEmail: "E-Mail",
  accountPassword: "Passwort",
  passwordDots: "Wenn du es änderst, enden alle anderen Anmeldungen.",
  changePassword: "Passwort ändern",
  currentPassword: "Aktuelles Passwort",
  newPassword: "Neues Passwort",
  passwordHint: "Mindestens 8 Zeichen.",
  passwordChanged: "Passwort geändert. Überall sonst bist du jetzt abgemeldet.",
  devices: "Geräte",
  deviceName: "{browser} auf {system}",
  deviceUnknown: "Unbekanntes Gerät",
  thisDevice: "Dieses Gerät",
  deviceUsed: "Angemeldet {since}, zuletzt genutzt {last}",
  signOut: "Abmelden",
  endDevice: "Von {name} abmelden",
  apiKeys: "Schlüssel für Programme",
  apiKeysHint:
    "Programme mit einem solchen Schlüssel nutzen diesen Server in deinem Namen. Schlüssel anlegen oder den Server verwalten können sie nicht.",
  keyName: "Name des neuen Schlüssels",
  makeKey: "Schlüssel erstellen",
  keyShownOnce: "Kopiere ihn jetzt. Er wird nicht noch einmal angezeigt.",
  revoke: "Widerrufen",
  deleteAccount: "Konto löschen",
  deleteAccountHint:
    "Löscht endgültig deine Unterhaltungen, Artefakte, Dateien, Einstellungen, gespeicherten Schlüssel, Schlüssel für Programme und deine Nutzung. Das lässt sich nicht rückgängig machen.",
  deleteAccountEmail: "Gib {email} ein, um es zu bestätigen",
  deleteAccountConfirm: "Dein Passwort",
};
