import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in Arabic. */
export const appsArabic: Record<keyof typeof appsEnglish, Text> = {
  appName: "تطبيق {server}",
  appWantsCall: "يريد تطبيق {server} استدعاء أداة. هذا قراره هو: لم يطلب منه أحد ذلك.",
  appMessage: "يريد تطبيق {server} أن يقول هذا باسمك:",
  appLink: "يريد تطبيق {server} فتح {url}",
  appDownload: "يريد تطبيق {server} حفظ {name} ({size}).",
  appContext: "مع رسالتك التالية، يخبر تطبيق {server} النموذج بما يلي:",
  appCalls: "استدعاءات التطبيق ({count})",
  appGone: "يتعذّر عرض واجهة هذه الأداة: خادمها غير متاح ولم يُحفظ منها شيء.",
  appOffline: "طلب هذا التطبيق الوصول إلى {domains}. وهو يعمل بدون ذلك.",
  fullscreen: "ملء الشاشة",
  leaveFullscreen: "إنهاء ملء الشاشة",
  sendIt: "إرسال",
  dismiss: "تجاهل",
  stopApp: "إيقاف التطبيق",
  appSilent: "التطبيق لا يستجيب. ربما تعطّل أو ما زال قيد التحميل.",
};
