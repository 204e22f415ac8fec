import type { filesEnglish } from "../files-english.ts";
import type { Text } from "../translate.ts";

/** Texts about files of a message and about drafts, in Arabic. */
export const filesArabic: Record<keyof typeof filesEnglish, Text> = {
  noVideos: "مقاطع الفيديو غير مدعومة بعد.",
  noAudio: "الملفات الصوتية غير مدعومة بعد.",
  noSuchImages: "هذا النوع من الصور غير مدعوم. استخدم PNG أو JPEG أو GIF أو WebP.",
  fileUnreadable: "تتعذّر قراءة هذا النوع من الملفات.",
  fileNotRead: "تتعذّر القراءة. إذا كان هذا مجلدًا فاختر الملفات الموجودة داخله.",
  fileTooLarge: "أقصى حجم للملف {size} MB.",
  fileEmpty: "هذا الملف فارغ.",
  moreFiles: "ملفات أخرى: {count}",
  tooManyFiles: "أقصى عدد للملفات في الرسالة: {count}.",
  pastedName: "نص ملصق.txt",
  draft: "مسودة",
  summarizeFile: "لخّص هذا الملف.",
};
