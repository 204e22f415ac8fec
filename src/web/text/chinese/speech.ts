import type { speechEnglish } from "../speech-english.ts";
import type { Text } from "../translate.ts";

/** Texts about dictation and reading aloud in Chinese. */
export const speechChinese: Record<keyof typeof speechEnglish, Text> = {
  pauseReading: "暂停朗读",
  resumeReading: "继续朗读",
  readTable: { other: "一个 {count} 行的表格：{heads}。" },
  nothingToRead: "这个回答里没有可朗读的文字。",
  readingFailed: "浏览器没有可用的朗读语音。",
  dictationNotAllowed: "Tackle 无法使用麦克风。请在浏览器设置中允许此网站使用。",
  dictationNoMicrophone: "没有找到麦克风。请连接后重试。",
  dictationNoSound: "没有听到声音。请检查麦克风后重试。",
  dictationNoNetwork: "无法连接浏览器的语音服务。请检查网络后重试。",
  dictationNoLanguage: "浏览器不支持用这种语言进行语音输入。请在设置中选择其他语言。",
  dictationFailed: "语音输入已停止。请重试。",
};
