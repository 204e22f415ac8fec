import type { artifactsEnglish } from "../artifacts-english.ts";
import type { Text } from "../translate.ts";

/** Texts about artifacts: their cards and the panel that shows them, in Arabic. */
export const artifactsArabic: Record<keyof typeof artifactsEnglish, Text> = {
  back: "رجوع",
  lineUnchanged: "سطر واحد دون تغيير",
  linesUnchanged: {
    zero: "لا أسطر دون تغيير",
    one: "سطر واحد دون تغيير",
    two: "سطران دون تغيير",
    few: "{count} أسطر دون تغيير",
    many: "{count} سطرًا دون تغيير",
    other: "{count} سطر دون تغيير",
  },
  kindPage: "صفحة",
  kindDrawing: "رسم",
  kindDiagram: "مخطط",
  kindDocument: "مستند",
  kindCode: "كود",
  artifactFacts: "{kind} · النسخة {version}",
  builtIn: "أُنشئ خلال {time}",
  building: "جارٍ الإنشاء…",
  showing: "معروض الآن",
  panelWidth: "عرض اللوحة",
  compare: "مقارنة",
  versionShort: "v{version}",
  firstVersion: "النسخة الأولى",
  linesChanged: "الأسطر المضافة: {added}، المحذوفة: {removed}",
  compareWith: "مقارنة بالنسخة {version}",
  olderVersion: "نسخة أقدم",
  newerVersion: "نسخة أحدث",
  nothingToCompare: "لا توجد سوى نسخة واحدة حتى الآن.",
  sameVersions: "هاتان النسختان متطابقتان.",
  saveAsVersion: "حفظ كنسخة {version}",
  frameError: "في هذه الصفحة خطأ: {error}",
  stopFrame: "إيقاف",
  consoleEmpty: "لم يُسجَّل شيء بعد.",
};
