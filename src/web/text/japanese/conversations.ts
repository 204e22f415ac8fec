import type { conversationsEnglish } from "../conversations-english.ts";
import type { Text } from "../translate.ts";

/** Texts about the list of conversations, in Japanese. */
export const conversationsJapanese: Record<keyof typeof conversationsEnglish, Text> = {
  undo: "元に戻す",
  archive: "アーカイブ",
  archived: "アーカイブ済み",
  archivedCount: "アーカイブ済み（{count}）",
  archivedSession: "「{title}」をアーカイブしました",
  archivedSessions: { other: "{count}件の会話をアーカイブしました" },
  deletedSession: "「{title}」を削除しました",
  deletedSessions: { other: "{count}件の会話を削除しました" },
  selectedCount: { other: "{count}件を選択中" },
  moveSeveral: { other: "{count}件の会話をプロジェクトに移動" },
  moveAction: "移動",
  exportAction: "エクスポート",
  selectSession: "選択",
  needsYou: "確認待ち",
  workingNow: "作業中",
  temporaryChat: "一時チャット",
  temporaryHint: "このチャットは保存されません。離れると削除されます。",
  makeTemporary: "一時チャットにする",
  makeKept: "このチャットを残す",
  connectedService: "{name} に接続しました。このタブは閉じてかまいません。",
};
