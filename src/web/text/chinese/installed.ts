import type { installedEnglish } from "../installed-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the installed app in Chinese. */
export const installedChinese: Record<keyof typeof installedEnglish, Text> = {
  newVersionReady: "新版本已就绪。",
  reload: "重新加载",
  partNotLoaded: "无法加载此部分。",
  appFailed: "此页面出了问题。",
  appFailedLine: "你的对话已保存。",
  answerNotShown: "无法显示此回答。",
  answerNotShownLine: "你仍可以复制它，或再次提问。",
};
