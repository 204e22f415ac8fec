import type { notificationsEnglish } from "../notifications-english.ts";
import type { Text } from "../translate.ts";

/** Texts of notifications in Japanese. */
export const notificationsJapanese: Record<keyof typeof notificationsEnglish, Text> = {
  notifications: "通知",
  notifyHere: "このデバイスで通知を受け取る",
  notifyHereHint:
    "ほかの画面を見ているときだけ届きます。あなたやモデルが書いた内容が通知に含まれることはありません。",
  notifyWaiting: "確認や返答が必要なとき",
  notifyDone: "回答が完了したとき",
  notifyFailed: "回答に失敗したとき",
  notifyTitles: "会話のタイトルを表示",
  notifyTitlesHint: "ロック画面でほかの人に見られる可能性があります。",
  notifyBlocked: "このブラウザーでは、このサイトの通知が許可されていません。ブラウザーの設定で変更できます。",
  notifyNotHere: "このブラウザーでは通知を表示できません。HTTPSと、Web Pushに対応したブラウザーが必要です。",
  noticeApproval: "確認が必要です",
  noticeQuestion: "質問があります",
  noticeDone: "回答が完了しました",
  noticeFailed: "回答に失敗しました",
  noticeUntitled: "会話",
};
