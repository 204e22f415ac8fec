import type { signInEnglish } from "../sign-in-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the page to sign in, in Portuguese. */
export const signInPortuguese: Record<keyof typeof signInEnglish, Text> = {
  signInTo: "Entrar no Tackle",
  createYours: "Crie sua conta",
  resetPassword: "Redefina sua senha",
  resetHint: "Informe seu e-mail. Enviaremos um link para você escolher uma nova senha.",
  chooseNew: "Escolha uma nova senha",
  checkMail: "Confira seu e-mail",
  mailSent: "Se existir uma conta para {email}, um link está a caminho. Ele vale por uma hora.",
  email: "E-mail",
  password: "Senha",
  newPassword: "Nova senha",
  yourName: "Nome (opcional)",
  forgot: "Esqueceu?",
  passwordHint: "No mínimo 8 caracteres.",
  setupTokenLabel: "Código de configuração",
  setupTokenHint: "Está no link que o servidor mostrou ao iniciar.",
  firstAccount: "Esta é a primeira conta deste servidor. Ela será a do administrador.",
  signIn: "Entrar",
  createAccount: "Criar conta",
  sendLink: "Enviar link",
  saveAndSignIn: "Salvar e entrar",
  newHere: "Primeira vez aqui?",
  createAnAccount: "Crie uma conta",
  askForAccount: "Ainda sem conta? Peça uma ao administrador deste servidor.",
  haveAccount: "Já tem uma conta?",
  backToSignIn: "Voltar para entrar",
  lookAround: "Experimente como convidado: {questions} perguntas a cada {time}",
  wrongPassword: "E-mail ou senha incorretos.",
  cantReach: "Não foi possível acessar o servidor. Tente de novo.",
};
