import { create } from "zustand";

interface SpeechState {
  /** Dictated words that may still change. Undefined while dictation is off. */
  heard?: string;
  /** Ends dictation, and keeps the words that were heard. */
  finish?(): void;
  /** The answer that is being read aloud. */
  reading?: { messageId: string; paused: boolean };
}

/** What the browser's own engines for speech are doing. Their code loads with the first use. */
export const speech = create<SpeechState>(() => ({}));

/** Whether the browser can turn speech into text. Browsers have no microphone for pages without HTTPS. */
export const canDictate = () =>
  isSecureContext && ("SpeechRecognition" in globalThis || "webkitSpeechRecognition" in globalThis);

/** Whether the browser can read a text aloud. */
export const canReadAloud = () => "speechSynthesis" in globalThis && "SpeechSynthesisUtterance" in globalThis;
