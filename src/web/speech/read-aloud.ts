import { conversation } from "../state/conversation.ts";
import { notify } from "../state/notices.ts";
import { speech } from "../state/speech.ts";
import { t } from "../text/speech.ts";
import { language } from "../text/translate.ts";
import { languageOf, regionalTag } from "./language-of.ts";
import { type Piece, proseOf } from "./prose.ts";

/** Browsers load their voices late. */
const VOICES_MS = 1_500;

interface Reading {
  pieces: Piece[];
  at: number;
  /** The language of the answer. */
  spoken: string;
  unwatch(): void;
}

let current: Reading | undefined;
/** Changes whenever the engine is told to be silent, so that late events of what it said before are ignored. */
let utterance: SpeechSynthesisUtterance | undefined;

/** Reads an answer aloud, in its own language if that can be told. Only one is read at a time. */
export async function readAloud(messageId: string, markdown: string): Promise<void> {
  stopReading();
  speech.getState().finish?.();
  const spoken = languageOf(markdown) ?? language();
  const sayTable = (heads: string[], count: number) => t("readTable", { count, heads: heads.join(", ") });
  const pieces = proseOf(markdown, sayTable, spoken);
  if (pieces.length === 0) return void notify({ text: t("nothingToRead") });
  const { sessionId } = conversation.getState();
  const unwatch = conversation.subscribe((state) => state.sessionId !== sessionId && stopReading());
  addEventListener("pagehide", stopReading);
  const reading: Reading = { pieces, at: 0, spoken, unwatch };
  current = reading;
  speech.setState({ reading: { messageId, paused: false } });
  await voicesLoaded();
  if (current === reading) speakFrom(reading);
}

/** Stops reading at the current sentence. */
export function pauseReading(): void {
  silence();
  setPaused(true);
}

/** Goes on with the sentence at which reading was paused. */
export function resumeReading(): void {
  setPaused(false);
  if (current) speakFrom(current);
}

/** Ends reading. */
export function stopReading(): void {
  if (!current) return;
  current.unwatch();
  removeEventListener("pagehide", stopReading);
  current = undefined;
  silence();
  speech.setState({ reading: undefined });
}

function setPaused(paused: boolean): void {
  speech.setState(({ reading }) => ({ reading: reading && { ...reading, paused } }));
}

/** Not every engine can pause, so what is left is kept here. */
function silence(): void {
  utterance = undefined;
  speechSynthesis.cancel();
}

function speakFrom(reading: Reading): void {
  const piece = reading.pieces[reading.at];
  if (!piece) {
    stopReading();
    return;
  }
  const next = new SpeechSynthesisUtterance(piece.text);
  const wanted = regionalTag(piece.own ? language() : reading.spoken);
  const voice = voiceFor(wanted);
  next.lang = voice?.lang ?? wanted;
  if (voice) next.voice = voice;
  next.onend = () => {
    if (utterance !== next) return;
    reading.at++;
    speakFrom(reading);
  };
  next.onerror = () => {
    if (utterance !== next) return;
    stopReading();
    notify({ kind: "error", text: t("readingFailed") });
  };
  utterance = next;
  speechSynthesis.speak(next);
}

/** Returns the voice of a language: of the same region if there is one, and of this device before one on the network. */
function voiceFor(tag: string): SpeechSynthesisVoice | undefined {
  const plain = (lang: string) => lang.replace("_", "-").toLowerCase();
  const base = tag.split("-")[0];
  const score = ({ lang, localService, default: first }: SpeechSynthesisVoice) =>
    Number(plain(lang) === plain(tag)) * 4 + Number(localService) * 2 + Number(first);
  return speechSynthesis
    .getVoices()
    .filter(({ lang }) => plain(lang).split("-")[0] === base)
    .sort((one, other) => score(other) - score(one))[0];
}

function voicesLoaded(): Promise<void> {
  if (speechSynthesis.getVoices().length > 0) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  speechSynthesis.addEventListener("voiceschanged", () => resolve(), { once: true });
  setTimeout(resolve, VOICES_MS);
  return promise;
}
