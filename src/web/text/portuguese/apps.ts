import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in Portuguese. */
export const appsPortuguese: Record<keyof typeof appsEnglish, Text> = {
  appName: "App de {server}",
  appWantsCall: "O app de {server} quer chamar uma ferramenta. A decisão é dele: ninguém pediu isso.",
  appMessage: "O app de {server} quer dizer isto em seu nome:",
  appLink: "O app de {server} quer abrir {url}",
  appDownload: "O app de {server} quer salvar {name} ({size}).",
  appContext: "Com sua próxima mensagem, o app de {server} diz ao modelo:",
  appCalls: "Chamadas do app ({count})",
  appGone:
    "Não dá para mostrar a interface desta ferramenta: o servidor dela não está disponível e nada foi guardado.",
  appOffline: "Este app pediu acesso a {domains}. Ele funciona sem esse acesso.",
  fullscreen: "Tela cheia",
  leaveFullscreen: "Sair da tela cheia",
  sendIt: "Enviar",
  dismiss: "Dispensar",
  stopApp: "Parar o app",
  appSilent: "O app não responde. Pode ter travado ou ainda estar carregando.",
};
