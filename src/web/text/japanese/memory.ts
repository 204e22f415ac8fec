import type { memoryEnglish } from "../memory-english.ts";
import type { Text } from "../translate.ts";

/** Texts of memory, and of the person's own instructions, in Japanese. */
export const memoryJapanese: Record<keyof typeof memoryEnglish, Text> = {
  memory: "メモリ",
  memoryHint: "Tackleがあなたについて覚えていることです。新しいチャットで毎回使われます。",
  memorySwitch: "自分についての情報を記憶する",
  memoryOn: "ウェブページやファイルの内容は、同意した場合にだけ記憶されます。",
  memoryOff: "新しく記憶されることはなく、下の内容も使われません。",
  memoryLines: "記憶していること",
  memoryEmpty: "まだ何もありません。チャットで「…を覚えておいて」と伝えるか、ここに入力してください。",
  memoryLine: "覚えておく内容",
  memoryAdd: "Tackleに覚えてほしいこと",
  memoryAddButton: "追加",
  memoryEdit: "「{text}」を編集",
  memoryForget: "「{text}」を忘れる",
  memoryForgotten: "忘れました",
  memoryFrom: "「{title}」より · {day}",
  memoryOwn: "自分で入力 · {day}",
  forgetAll: "すべて忘れる",
  forgetAllSure: "この操作は元に戻せません。",
  aboutMe: "あなたについてTackleに知っておいてほしいこと",
  howToAnswer: "Tackleにどのように回答してほしいか",
  keptAtOnce: "すべてのチャットで使われます。",
  keptSoon: "入力欄を離れると保存されます。",
};
