import { functionAlias, type Route, type ServerState } from "./context.ts";
import { checkDescriptions } from "./description/operations.ts";
import { loadPage, SIGN_IN_PAGE, servePageFile } from "./page.ts";
import { accountRoutes } from "./routes/accounts.ts";
import { administrationRoutes } from "./routes/administration.ts";
import { alwaysRoutes } from "./routes/always.ts";
import { appRoutes } from "./routes/apps.ts";
import { artifactRoutes } from "./routes/artifacts.ts";
import { branchRoutes } from "./routes/branches.ts";
import { catalogueRoutes } from "./routes/catalogue.ts";
import { chatRoutes } from "./routes/chat.ts";
import { chatAgUiRoutes } from "./routes/chat-ag-ui.ts";
import { chatCompletionRoutes } from "./routes/chat-completions.ts";
import { chatUiRoutes } from "./routes/chat-ui.ts";
import { completionRoutes } from "./routes/completions.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { descriptionRoutes } from "./routes/description.ts";
import { draftRoutes } from "./routes/drafts.ts";
import { embeddingRoutes } from "./routes/embeddings.ts";
import { exportRoutes } from "./routes/exports.ts";
import { feedbackRoutes } from "./routes/feedback.ts";
import { fileRoutes } from "./routes/files.ts";
import { guardRoutes } from "./routes/guard.ts";
import { imageRoutes } from "./routes/images.ts";
import { legacyImageRoutes } from "./routes/legacy-image.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { meRoutes } from "./routes/me.ts";
import { messageRoutes } from "./routes/messages.ts";
import { modelServerRoutes } from "./routes/model-servers.ts";
import { myEventRoutes } from "./routes/my-events.ts";
import { ollamaRoutes } from "./routes/ollama.ts";
import { openAiCatalogueRoutes } from "./routes/openai-catalogue.ts";
import { openAiFileRoutes } from "./routes/openai-files.ts";
import { passkeyRoutes } from "./routes/passkeys.ts";
import { policyRoutes } from "./routes/policy.ts";
import { projectRoutes } from "./routes/projects.ts";
import { promptRoutes } from "./routes/prompts.ts";
import { providerSignInRoutes } from "./routes/provider-sign-in.ts";
import { pushRoutes } from "./routes/push.ts";
import { responseInputRoutes } from "./routes/response-input.ts";
import { responseRoutes } from "./routes/responses.ts";
import { runRoutes } from "./routes/runs.ts";
import { searchRoutes } from "./routes/search.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { shareRoutes } from "./routes/shares.ts";
import { signInRoutes, wantsSignIn } from "./routes/sign-in.ts";
import { statusRoutes } from "./routes/status.ts";
import { toolSourceRoutes } from "./routes/tool-sources.ts";

/** Returns every route of the server. Throws if one has no description. */
export function routesOf(server: ServerState): Route[] {
  const described = withAliases([
    ...guardRoutes(),
    ...statusRoutes(),
    ...chatRoutes(),
    ...chatUiRoutes(),
    ...chatAgUiRoutes(),
    ...runRoutes(),
    ...sessionRoutes(),
    ...searchRoutes(),
    ...shareRoutes(),
    ...feedbackRoutes(),
    ...exportRoutes(),
    ...branchRoutes(),
    ...projectRoutes(),
    ...catalogueRoutes(),
    ...appRoutes(server),
    ...artifactRoutes(server),
    ...chatCompletionRoutes(),
    ...responseRoutes(),
    ...responseInputRoutes(),
    ...conversationRoutes(),
    ...messageRoutes(),
    ...openAiCatalogueRoutes(),
    ...embeddingRoutes(),
    ...ollamaRoutes(),
    ...imageRoutes(),
    ...openAiFileRoutes(),
    ...completionRoutes(),
    ...fileRoutes(),
    ...legacyImageRoutes(),
    ...accountRoutes(),
    ...signInRoutes(),
    ...providerSignInRoutes(),
    ...passkeyRoutes(),
    ...administrationRoutes(),
    ...toolSourceRoutes(),
    ...modelServerRoutes(),
    ...policyRoutes(),
    ...alwaysRoutes(),
    ...promptRoutes(),
    ...meRoutes(),
    ...draftRoutes(),
    ...myEventRoutes(),
    ...pushRoutes(),
    ...mcpRoutes(server),
  ]);
  const routes = [...described, ...descriptionRoutes(described)];
  checkDescriptions(routes);
  return [...routes, ...pageRoutes(server)];
}

/** Adds the second address of the routes that clients also know as edge functions. */
function withAliases(routes: Route[]): Route[] {
  return routes.flatMap((one) => {
    const path = functionAlias(`${one.method} ${one.path}`)?.slice(one.method.length + 1);
    return path === undefined ? [one] : [one, { ...one, path }];
  });
}

/** The files of the web app. If an account is required, the sign-in page is at `/`. */
function pageRoutes(server: ServerState): Route[] {
  const files = loadPage(server.deps.config.webRoot);
  const signIn = files.get(SIGN_IN_PAGE);
  return [...files].map(([path, file]) => ({
    method: "GET",
    path,
    async handle(c) {
      const instead = path === "/" && (await wantsSignIn(c)) ? signIn : undefined;
      return servePageFile(instead ?? file, c.req.raw);
    },
  }));
}
