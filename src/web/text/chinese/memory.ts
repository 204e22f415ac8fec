import type { memoryEnglish } from "../memory-english.ts";
import type { Text } from "../translate.ts";

/** Texts of memory, and of the person's own instructions, in Chinese. */
export const memoryChinese: Record<keyof typeof memoryEnglish, Text> = {
  memory: "记忆",
  memoryHint: "Tackle 记住的关于你的内容，每个新对话都会用到。",
  memorySwitch: "记住关于我的内容",
  memoryOn: "网页或文件中的内容，只有你同意才会记住。",
  memoryOff: "不会记住任何内容，以下内容也不会使用。",
  memoryLines: "已记住的内容",
  memoryEmpty: "还没有内容。在对话中说“记住……”，或在这里填写。",
  memoryLine: "要记住的内容",
  memoryAdd: "希望 Tackle 记住的内容",
  memoryAddButton: "添加",
  memoryEdit: "编辑“{text}”",
  memoryForget: "忘记“{text}”",
  memoryForgotten: "已忘记",
  memoryFrom: "来自“{title}” · {day}",
  memoryOwn: "由你填写 · {day}",
  forgetAll: "全部忘记",
  forgetAllSure: "此操作无法撤销。",
  aboutMe: "Tackle 应该了解你的哪些情况？",
  howToAnswer: "Tackle 应该如何回答？",
  keptAtOnce: "用于每个对话。",
  keptSoon: "离开输入框时保存。",
};
