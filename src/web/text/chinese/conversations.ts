import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in Chinese. */
export const conversationsChinese: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "撤销",
  archive: "归档",
  archived: "已归档",
  archivedCount: "已归档（{count}）",
  archivedSession: "已归档“{title}”",
  archivedSessions: { other: "已归档 {count} 个对话" },
  deletedSession: "已删除“{title}”",
  deletedSessions: { other: "已删除 {count} 个对话" },
  selectedCount: { other: "已选择 {count} 个" },
  moveSeveral: { other: "将 {count} 个对话移到项目" },
  moveAction: "移动",
  exportAction: "导出",
  selectSession: "选择",
  needsYou: "等你决定",
  workingNow: "正在处理",
  temporaryChat: "临时对话",
  temporaryHint: "此对话不会保留，离开后即删除。",
  makeTemporary: "设为临时对话",
  makeKept: "保留此对话",
  connectedService: "{name} 已连接。可以关闭此标签页。",
};
