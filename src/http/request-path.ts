import { getPath, tryDecodeURIComponent } from "hono/utils/url";

// Routes of other vendors' protocols, which clients look for elsewhere if their base URL is wrong.
const V1 =
  /\/((?:chat\/)?completions|responses|embeddings|images\/generations|messages(?:\/count_tokens)?|models)$/;
const OLLAMA = /\/api\/(?:chat|generate|embed|tags|show|version)$/;

/** Clients of Azure, Groq and DeepInfra add this to every base URL. Azure's name the model in it. */
const AZURE =
  /^(?:\/v1(?:beta)?)?\/openai\/(?:v1\/|deployments\/(.+?)\/(?=(?:chat|completions|embeddings|responses|images|audio)(?:\/|$)))?/;

/**
 * Returns the path by which routes are found. A base URL that ends in a slash makes clients ask for `/v1//models`, and those of
 * Azure ask for `/openai/deployments/gpt-4o/chat/completions`.
 */
export function requestPath(request: Request): string {
  const path = cleanPath(request);
  return path.includes("/openai/") ? path.replace(AZURE, "/v1/") : path;
}

/** Returns the model that the path of a request names, as Azure's clients do. */
export function modelInPath(request: Request): string | undefined {
  const [, name] = AZURE.exec(cleanPath(request)) ?? [];
  return name === undefined ? undefined : tryDecodeURIComponent(name);
}

function cleanPath(request: Request): string {
  const path = getPath(request);
  return path.includes("//") || path.endsWith("/") ? withoutSpareSlashes(path) : path;
}

function withoutSpareSlashes(path: string): string {
  const single = path.replace(/\/{2,}/g, "/");
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

/** True for the paths of OpenAI's and Anthropic's protocols. */
export function isVersionOne(path: string): boolean {
  return path === "/v1" || path.startsWith("/v1/");
}

/** Returns the route that a client with a wrong base URL means by a path without a route, or undefined. */
export function meantPath(path: string): string | undefined {
  const [ollama] = OLLAMA.exec(path) ?? [];
  const [, v1] = V1.exec(path) ?? [];
  return ollama ?? (v1 && `/v1/${v1}`);
}
