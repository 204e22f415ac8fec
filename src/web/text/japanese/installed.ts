import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Japanese. */
export const installedJapanese: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "新しいバージョンがあります。",
  reload: "再読み込み",
  partNotLoaded: "この部分を読み込めませんでした。",
  appFailed: "このページで問題が発生しました。",
  appFailedLine: "会話は保存されています。",
  answerNotShown: "この回答を表示できません。",
  answerNotShownLine: "コピーやもう一度の質問はできます。",
};
