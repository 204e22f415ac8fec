import type { settingsEnglish } from "../settings-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the settings in French. */
export const settingsFrench: Record<keyof typeof settingsEnglish, Text> = {
  modelsAndKeys: "Modèles et clés",
  importHint: "Des conversations de ChatGPT, Claude, LibreChat ou d’un autre Tackle.",
  toolsByAdministrator:
    "Les administrateurs de ce serveur connectent des services ici. Vous choisissez les outils actifs sous le champ de message.",
  modelsAndKeysHint: "Vos clés restent sur ce serveur et passent avant les siennes.",
  textSize: "Taille du texte",
  textSize_small: "Petite",
  textSize_medium: "Moyenne",
  textSize_large: "Grande",
  sendWith: "Envoyer les messages avec",
  guestAccount:
    "Vous êtes invité. Connectez-vous pour conserver vos conversations et les retrouver sur d’autres appareils.",
  accountName: "Nom",
  accountEmail: "E-mail",
  accountPassword: "Mot de passe",
  passwordDots: "Le changer met fin à toutes les autres connexions.",
  noPassword: "Aucun. Vous vous connectez sans mot de passe.",
  changePassword: "Changer le mot de passe",
  currentPassword: "Mot de passe actuel",
  newPassword: "Nouveau mot de passe",
  passwordHint: "Au moins 8 caractères.",
  passwordChanged: "Mot de passe changé. Vous êtes déconnecté partout ailleurs.",
  devices: "Appareils",
  deviceName: "{browser} sur {system}",
  deviceUnknown: "Appareil inconnu",
  thisDevice: "Cet appareil",
  deviceUsed: "Connexion : {since}, dernière utilisation : {last}",
  signOut: "Se déconnecter",
  endDevice: "Déconnecter {name}",
  apiKeys: "Clés pour programmes",
  apiKeysHint:
    "Un programme qui a une telle clé utilise ce serveur en votre nom. Il ne peut ni créer de clés ni administrer le serveur.",
  keyName: "Nom de la nouvelle clé",
  makeKey: "Créer une clé",
  keyShownOnce: "Copiez-la maintenant. Elle ne sera plus affichée.",
  revoke: "Révoquer",
  deleteAccount: "Supprimer le compte",
  deleteAccountHint:
    "Supprime définitivement vos conversations, artefacts, fichiers, paramètres, clés enregistrées, clés pour programmes et données d’utilisation. Cette action est irréversible.",
  deleteAccountEmail: "Saisissez {email} pour confirmer",
  deleteAccountConfirm: "Votre mot de passe",
  deleteAll: "Supprimer toutes les discussions",
  deleteAllHint: "Toute la liste et les archives, avec tout ce qui y a été créé.",
  deleteAllQuestion: "Supprimer toutes les discussions ?",
  deleteAllWarning: "Elles ne pourront pas être récupérées. Les projets, les fichiers et la mémoire restent.",
  deletedAll: "Toutes les discussions sont supprimées.",
};
