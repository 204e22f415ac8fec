import type { signInEnglish } from "../sign-in-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the page to sign in, in Spanish. */
export const signInSpanish: Record<keyof typeof signInEnglish, Text> = {
  signInTo: "Inicia sesión en Tackle",
  createYours: "Crea tu cuenta",
  resetPassword: "Restablece tu contraseña",
  resetHint: "Escribe tu correo. Te enviaremos un enlace para elegir una contraseña nueva.",
  chooseNew: "Elige una contraseña nueva",
  checkMail: "Revisa tu correo",
  mailSent: "Si hay una cuenta para {email}, hay un enlace en camino. Sirve durante una hora.",
  email: "Correo electrónico",
  password: "Contraseña",
  newPassword: "Contraseña nueva",
  yourName: "Nombre (opcional)",
  forgot: "¿La has olvidado?",
  passwordHint: "Al menos 8 caracteres.",
  setupTokenLabel: "Código de instalación",
  setupTokenHint: "Está en el enlace que el servidor mostró al arrancar.",
  firstAccount: "Esta es la primera cuenta de este servidor. Será la del administrador.",
  signIn: "Iniciar sesión",
  createAccount: "Crear cuenta",
  sendLink: "Enviar enlace",
  saveAndSignIn: "Guardar e iniciar sesión",
  newHere: "¿Es tu primera vez aquí?",
  createAnAccount: "Crea una cuenta",
  askForAccount: "¿Aún no tienes cuenta? Pídele una al administrador de este servidor.",
  haveAccount: "¿Ya tienes una cuenta?",
  backToSignIn: "Volver al inicio de sesión",
  lookAround: "Echa un vistazo como invitado: {questions} preguntas cada {time}",
  wrongPassword: "El correo o la contraseña no son correctos.",
  cantReach: "No se puede conectar con el servidor. Inténtalo de nuevo.",
};
