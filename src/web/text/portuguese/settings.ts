import type { settingsEnglish } from "../settings-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the settings in Portuguese. */
export const settingsPortuguese: Record<keyof typeof settingsEnglish, Text> = {
  modelsAndKeys: "Modelos e chaves",
  importHint: "Conversas do ChatGPT, do Claude, do LibreChat ou de outro Tackle.",
  toolsByAdministrator:
    "Os administradores deste servidor conectam serviços aqui. Você escolhe quais ferramentas ficam ativas abaixo da caixa de mensagem.",
  modelsAndKeysHint: "Suas chaves ficam neste servidor e são usadas antes das dele.",
  textSize: "Tamanho do texto",
  textSize_small: "Pequeno",
  textSize_medium: "Médio",
  textSize_large: "Grande",
  sendWith: "Enviar mensagens com",
  guestAccount: "Você é um convidado. Entre para manter seus chats e usá-los em outros dispositivos.",
  accountName: "Nome",
  accountEmail: "E-mail",
  accountPassword: "Senha",
  passwordDots: "Ao alterá-la, todos os outros acessos são encerrados.",
  changePassword: "Alterar senha",
  currentPassword: "Senha atual",
  newPassword: "Nova senha",
  passwordHint: "No mínimo 8 caracteres.",
  passwordChanged: "Senha alterada. Você saiu da conta em todos os outros lugares.",
  devices: "Dispositivos",
  deviceName: "{browser} em {system}",
  deviceUnknown: "Dispositivo desconhecido",
  thisDevice: "Este dispositivo",
  deviceUsed: "Conectado desde {since}, último uso {last}",
  signOut: "Sair",
  endDevice: "Sair em {name}",
  apiKeys: "Chaves para programas",
  apiKeysHint:
    "Programas com uma destas chaves usam este servidor em seu nome. Não podem criar chaves nem administrar o servidor.",
  keyName: "Nome da nova chave",
  makeKey: "Criar chave",
  keyShownOnce: "Copie agora. Ela não será mostrada de novo.",
  revoke: "Revogar",
  deleteAccount: "Excluir conta",
  deleteAccountHint:
    "Exclui definitivamente suas conversas, artefatos, arquivos, configurações, chaves salvas, chaves para programas e uso. Não é possível desfazer.",
  deleteAccountEmail: "Digite {email} para confirmar",
  deleteAccountConfirm: "Sua senha",
};
