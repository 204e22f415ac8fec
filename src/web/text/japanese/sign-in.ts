import type { signInEnglish } from "../sign-in-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the page to sign in, in Japanese. */
export const signInJapanese: Record<keyof typeof signInEnglish, Text> = {
  signInTo: "Tackleにログイン",
  createYours: "アカウントを作成",
  resetPassword: "パスワードを再設定",
  resetHint: "メールアドレスを入力してください。新しいパスワードを設定するためのリンクを送ります。",
  chooseNew: "新しいパスワードを設定",
  checkMail: "メールを確認してください",
  mailSent: "{email}のアカウントがあれば、リンクをお送りしています。リンクは1時間有効です。",
  email: "メールアドレス",
  password: "パスワード",
  newPassword: "新しいパスワード",
  yourName: "名前（任意）",
  forgot: "お忘れですか？",
  passwordHint: "8文字以上。",
  setupTokenLabel: "セットアップトークン",
  setupTokenHint: "サーバーの起動時に表示されたリンクに含まれています。",
  firstAccount: "このサーバーの最初のアカウントです。管理者になります。",
  signIn: "ログイン",
  createAccount: "アカウントを作成",
  sendLink: "リンクを送信",
  saveAndSignIn: "保存してログイン",
  newHere: "初めてですか？",
  createAnAccount: "アカウントを作成",
  askForAccount: "アカウントをお持ちでない場合は、このサーバーの管理者に依頼してください。",
  haveAccount: "すでにアカウントをお持ちですか？",
  backToSignIn: "ログインに戻る",
  lookAround: "ゲストとして試す（{time}ごとに質問{questions}件）",
  wrongPassword: "メールアドレスまたはパスワードが正しくありません。",
  cantReach: "サーバーに接続できません。再試行してください。",
};
