import type { filesEnglish } from "../files-english.ts";
import type { Text } from "../translate.ts";

/** Texts about files of a message and about drafts, in Chinese. */
export const filesChinese: Record<keyof typeof filesEnglish, Text> = {
  noVideos: "暂不支持视频。",
  noAudio: "暂不支持音频文件。",
  noSuchImages: "不支持这种图片格式，请使用 PNG、JPEG、GIF 或 WebP。",
  fileUnreadable: "无法读取这种文件。",
  fileNotRead: "无法读取。如果这是文件夹，请选择其中的文件。",
  fileTooLarge: "文件不能超过 {size} MB。",
  fileEmpty: "此文件是空的。",
  moreFiles: "另外 {count} 个文件",
  tooManyFiles: "一条消息最多可附 {count} 个文件。",
  pastedName: "粘贴的文本.txt",
  draft: "草稿",
  summarizeFile: "总结这个文件。",
};
