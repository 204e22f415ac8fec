import type { filesEnglish } from "../files-english.ts";
import type { Text } from "../translate.ts";

/** Texts about files of a message and about drafts, in Japanese. */
export const filesJapanese: Record<keyof typeof filesEnglish, Text> = {
  noVideos: "動画にはまだ対応していません。",
  noAudio: "音声ファイルにはまだ対応していません。",
  noSuchImages: "この画像形式には対応していません。PNG、JPEG、GIF、WebPを使ってください。",
  fileUnreadable: "この種類のファイルは読み取れません。",
  fileNotRead: "読み取れません。フォルダーの場合は、中のファイルを選択してください。",
  fileTooLarge: "ファイルは最大{size} MBまでです。",
  fileEmpty: "このファイルは空です。",
  moreFiles: "ほか{count}件のファイル",
  tooManyFiles: "1件のメッセージに添付できるファイルは{count}個までです。",
  pastedName: "貼り付けたテキスト.txt",
  draft: "下書き",
  summarizeFile: "このファイルを要約してください。",
};
