import type { appsEnglish } from "../apps-english.ts";
import type { Text } from "../translate.ts";

/** Texts of interactive apps of tools in Chinese. */
export const appsChinese: Record<keyof typeof appsEnglish, Text> = {
  appName: "{server} 的应用",
  appWantsCall: "{server} 的应用想调用一个工具。这是它自行决定的，没有人要求它这样做。",
  appMessage: "{server} 的应用想替你发送以下内容：",
  appLink: "{server} 的应用想打开 {url}",
  appDownload: "{server} 的应用想保存 {name}（{size}）。",
  appContext: "{server} 的应用会随你的下一条消息告诉模型：",
  appCalls: "应用的调用（{count}）",
  appGone: "无法显示此工具的界面：它的服务器不可用，也没有保留任何内容。",
  appOffline: "此应用请求访问 {domains}。它在没有该权限的情况下运行。",
  fullscreen: "全屏",
  leaveFullscreen: "退出全屏",
  sendIt: "发送",
  dismiss: "忽略",
  stopApp: "停止应用",
  appSilent: "应用没有响应，可能卡住了或仍在加载。",
};
