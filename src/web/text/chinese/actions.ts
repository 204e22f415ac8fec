import type { actionsEnglish } from "../actions-english.ts";
import type { Text } from "../translate.ts";

/** Texts of what can be done with an answer or a conversation, in Chinese. */
export const actionsChinese: Record<keyof typeof actionsEnglish, Text> = {
  share: "分享",
  goodAnswer: "回答得好",
  badAnswer: "回答得不好",
  whyBad: "哪里不好？",
  whyGood: "哪里好？",
  whyHint: "此服务器的管理员可以看到。",
  sendWhy: "发送",
  thanks: "谢谢，你的反馈已保存。",
  branchHere: "从这里新建分支",
  branched: "现在这是一个独立的对话，原对话保持不变。",
  allVersions: "查看所有版本",
  compareModel: "与其他模型比较…",
  reportProblem: "报告问题",
  savePdf: "保存为 PDF",
  dictate: "语音输入",
  stopDictating: "停止语音输入",
  listening: "正在聆听…",
  readAloud: "朗读",
  stopReading: "停止朗读",
};
