/** Routes of OpenAI's, Anthropic's and Mistral's APIs that are not here, and what to use instead. */
const ALTERNATIVES: readonly [RegExp, string][] = [
  [
    /^\/v1\/(?:assistants|threads)\b/,
    "Use POST /v1/responses, with /v1/conversations for what it should remember.",
  ],
  [/^\/v1\/(?:realtime|live)\b/, 'Use POST /v1/responses with "stream": true. There is no speech.'],
  [/^\/v1\/(?:messages\/)?batch(?:es)?\b/, "Send each request separately. They may run at the same time."],
  [/^\/v1\/uploads\b/, "Use POST /v1/files."],
  [/^\/v1\/(?:vector_stores|rerank)\b/, "Use POST /v1/embeddings, and search among them yourself."],
  [/^\/v1\/complete$/, "Use POST /v1/messages."],
  [/^\/v1\/agents\b/, "Use POST /v1/chat/completions or POST /v1/responses."],
  [/^\/v1\/images\/variations$/, "Use POST /v1/images/edits with a prompt."],
  [/^\/v1\/(?:audio|videos?|speech)\b/, "Models can be given texts, images and files here."],
];

/** Returns what a client can use instead of a route that only its vendor has, or undefined. */
export function alternativeTo(path: string): string | undefined {
  return ALTERNATIVES.find(([pattern]) => pattern.test(path))?.[1];
}
