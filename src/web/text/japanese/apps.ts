import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in Japanese. */
export const appsJapanese: Record<keyof typeof appsEnglish, Text> = {
  appName: "{server}のアプリ",
  appWantsCall:
    "{server}のアプリがツールを呼び出そうとしています。誰かに頼まれたのではなく、アプリ自身の判断です。",
  appMessage: "{server}のアプリが、あなたに代わって次のように送信しようとしています：",
  appLink: "{server}のアプリが{url}を開こうとしています",
  appDownload: "{server}のアプリが{name}（{size}）を保存しようとしています。",
  appContext: "{server}のアプリは、次のメッセージと一緒に以下をモデルに伝えます：",
  appCalls: "アプリの呼び出し（{count}）",
  appGone: "このツールの画面は表示できません。サーバーに接続できず、保存された内容もありません。",
  appOffline: "このアプリは{domains}へのアクセスを求めましたが、アクセスなしで動作しています。",
  fullscreen: "全画面表示",
  leaveFullscreen: "全画面表示を終了",
  sendIt: "送信",
  dismiss: "閉じる",
  stopApp: "アプリを停止",
  appSilent: "アプリが応答していません。停止しているか、まだ読み込み中の可能性があります。",
};
