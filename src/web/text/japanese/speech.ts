import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in Japanese. */
export const speechJapanese: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "読み上げを一時停止",
  resumeReading: "読み上げを再開",
  readTable: { other: "{count} 行の表：{heads}。" },
  nothingToRead: "この回答には読み上げる文章がありません。",
  readingFailed: "このブラウザーには読み上げ用の音声がありません。",
  dictationNotAllowed: "マイクを使えません。ブラウザーの設定でこのサイトに許可してください。",
  dictationNoMicrophone: "マイクが見つかりません。接続してからもう一度お試しください。",
  dictationNoSound: "音声が聞き取れませんでした。マイクを確認してもう一度お試しください。",
  dictationNoNetwork: "ブラウザーの音声サービスに接続できません。接続を確認してもう一度お試しください。",
  dictationNoLanguage:
    "このブラウザーはこの言語の音声入力に対応していません。設定で別の言語を選んでください。",
  dictationFailed: "音声入力が止まりました。もう一度お試しください。",
};
