import type { signInEnglish } from "../sign-in-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the page to sign in, in French. */
export const signInFrench: Record<keyof typeof signInEnglish, Text> = {
  signInTo: "Se connecter à Tackle",
  createYours: "Créez votre compte",
  resetPassword: "Réinitialisez votre mot de passe",
  resetHint: "Saisissez votre e-mail. Nous vous enverrons un lien pour choisir un nouveau mot de passe.",
  chooseNew: "Choisissez un nouveau mot de passe",
  checkMail: "Consultez vos e-mails",
  mailSent: "S’il existe un compte pour {email}, un lien est en route. Il est valable une heure.",
  email: "E-mail",
  password: "Mot de passe",
  newPassword: "Nouveau mot de passe",
  yourName: "Nom (facultatif)",
  forgot: "Oublié ?",
  passwordHint: "Au moins 8 caractères.",
  setupTokenLabel: "Jeton d’installation",
  setupTokenHint: "Il se trouve dans le lien que le serveur a affiché au démarrage.",
  firstAccount: "C’est le premier compte de ce serveur. Il en devient l’administrateur.",
  signIn: "Se connecter",
  createAccount: "Créer le compte",
  sendLink: "Envoyer le lien",
  saveAndSignIn: "Enregistrer et se connecter",
  newHere: "Nouveau ici ?",
  createAnAccount: "Créer un compte",
  askForAccount: "Pas encore de compte ? Demandez-en un à l’administrateur de ce serveur.",
  haveAccount: "Vous avez déjà un compte ?",
  backToSignIn: "Revenir à la connexion",
  lookAround: "Découvrir en tant qu’invité : {questions} questions par période de {time}",
  wrongPassword: "L’e-mail ou le mot de passe est incorrect.",
  cantReach: "Impossible de joindre le serveur. Réessayez.",
};
