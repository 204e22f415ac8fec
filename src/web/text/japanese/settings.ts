import type { settingsEnglish } from "../settings-english.ts";
import type { Text } from "../translate.ts";

/** Texts of the settings in Japanese. */
export const settingsJapanese: Record<keyof typeof settingsEnglish, Text> = {
  modelsAndKeys: "モデルとキー",
  importHint: "ChatGPT、Claude、LibreChat、または別のTackleの会話。",
  toolsByAdministrator:
    "サービスの接続は、このサーバーの管理者がここで行います。使うツールは入力欄の下で選べます。",
  modelsAndKeysHint: "キーはこのサーバーにだけ保存され、サーバーのキーより優先して使われます。",
  textSize: "文字サイズ",
  textSize_small: "小",
  textSize_medium: "中",
  textSize_large: "大",
  sendWith: "メッセージの送信キー",
  guestAccount: "ゲストとして利用中です。ログインすると、チャットを保存してほかのデバイスでも使えます。",
  accountName: "名前",
  accountEmail: "メールアドレス",
  accountPassword: "パスワード",
  passwordDots: "変更すると、ほかのデバイスからはすべてログアウトされます。",
  changePassword: "パスワードを変更",
  currentPassword: "現在のパスワード",
  newPassword: "新しいパスワード",
  passwordHint: "8文字以上。",
  passwordChanged: "パスワードを変更しました。ほかのデバイスからはすべてログアウトされました。",
  devices: "デバイス",
  deviceName: "{system}の{browser}",
  deviceUnknown: "不明なデバイス",
  thisDevice: "このデバイス",
  deviceUsed: "ログイン：{since}、最終使用：{last}",
  signOut: "ログアウト",
  endDevice: "{name}からログアウト",
  apiKeys: "プログラム用のキー",
  apiKeysHint:
    "このキーを持つプログラムは、あなたとしてこのサーバーを使います。キーの作成やサーバーの管理はできません。",
  keyName: "新しいキーの名前",
  makeKey: "キーを作成",
  keyShownOnce: "今すぐコピーしてください。再表示はできません。",
  revoke: "無効にする",
  deleteAccount: "アカウントを削除",
  deleteAccountHint:
    "会話、アーティファクト、ファイル、設定、保存したキー、プログラム用のキー、使用状況を完全に削除します。この操作は元に戻せません。",
  deleteAccountEmail: "確認のため{email}と入力",
  deleteAccountConfirm: "パスワード",
};
