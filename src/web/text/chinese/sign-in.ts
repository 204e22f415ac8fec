import type { signInEnglish } from "../sign-in-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the page to sign in, in Chinese. */
export const signInChinese: Record<keyof typeof signInEnglish, Text> = {
  signInTo: "登录 Tackle",
  createYours: "创建账号",
  resetPassword: "重置密码",
  resetHint: "输入你的邮箱，我们会发送一个用于设置新密码的链接。",
  chooseNew: "设置新密码",
  checkMail: "查看你的邮箱",
  mailSent: "如果 {email} 有对应的账号，链接已在发送途中，一小时内有效。",
  email: "邮箱",
  password: "密码",
  newPassword: "新密码",
  yourName: "姓名（可选）",
  forgot: "忘记密码？",
  passwordHint: "至少 8 个字符。",
  setupTokenLabel: "初始设置令牌",
  setupTokenHint: "在服务器启动时显示的链接中。",
  firstAccount: "这是此服务器上的第一个账号，将成为管理员。",
  signIn: "登录",
  createAccount: "创建账号",
  sendLink: "发送链接",
  saveAndSignIn: "保存并登录",
  newHere: "第一次使用？",
  createAnAccount: "创建账号",
  askForAccount: "还没有账号？请联系此服务器的管理员。",
  haveAccount: "已有账号？",
  backToSignIn: "返回登录",
  lookAround: "以访客身份试用：每 {time} 可提问 {questions} 次",
  wrongPassword: "邮箱或密码不正确。",
  cantReach: "无法连接服务器，请重试。",
};
