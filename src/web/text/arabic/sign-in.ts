import type { signInEnglish } from "../sign-in-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the page to sign in, in Arabic. */
export const signInArabic: Record<keyof typeof signInEnglish, Text> = {
  signInTo: "تسجيل الدخول إلى Tackle",
  createYours: "أنشئ حسابك",
  resetPassword: "إعادة تعيين كلمة المرور",
  resetHint: "أدخل بريدك الإلكتروني. سنرسل إليك رابطًا لاختيار كلمة مرور جديدة.",
  chooseNew: "اختر كلمة مرور جديدة",
  checkMail: "تفقّد بريدك الإلكتروني",
  mailSent: "إن كان هناك حساب بالعنوان {email}، فسيصلك رابط صالح لساعة واحدة.",
  email: "البريد الإلكتروني",
  password: "كلمة المرور",
  newPassword: "كلمة المرور الجديدة",
  yourName: "الاسم (اختياري)",
  forgot: "نسيتها؟",
  passwordHint: "8 أحرف على الأقل.",
  setupTokenLabel: "رمز الإعداد",
  setupTokenHint: "تجده في الرابط الذي عرضه الخادم عند بدء تشغيله.",
  firstAccount: "هذا أول حساب على هذا الخادم، وسيكون حساب المشرف.",
  signIn: "تسجيل الدخول",
  createAccount: "إنشاء حساب",
  sendLink: "إرسال الرابط",
  saveAndSignIn: "حفظ وتسجيل الدخول",
  newHere: "جديد هنا؟",
  createAnAccount: "أنشئ حسابًا",
  askForAccount: "ليس لديك حساب بعد؟ اطلبه من مشرف هذا الخادم.",
  haveAccount: "لديك حساب بالفعل؟",
  backToSignIn: "العودة إلى تسجيل الدخول",
  lookAround: "جرّب كضيف (عدد الأسئلة: {questions} كل {time})",
  wrongPassword: "البريد الإلكتروني أو كلمة المرور غير صحيحة.",
  cantReach: "يتعذّر الوصول إلى الخادم. أعد المحاولة.",
};
