import { z } from "zod";
import { APP_TYPE, type AppPage, appDomains } from "../../protocol/apps.ts";
import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";

const MAX_PAGE_CHARACTERS = 8_000_000;

/** What a tool says about its interface. */
export const toolInterface = z.object({
  /** The page that shows its results. */
  resourceUri: z.string().optional(),
  /** Who may call it. */
  model: z.boolean(),
  app: z.boolean(),
});
export type ToolInterface = z.output<typeof toolInterface>;

const uri = z
  .string()
  .regex(/^ui:\/\/./)
  .max(2_000);
const stated = z.object({ resourceUri: uri.optional(), visibility: z.array(z.unknown()).optional() });

/** Reads the interface of a tool from its `_meta`, also in the older form. Undefined if it says nothing of one. */
export function interfaceOf(meta: unknown): ToolInterface | undefined {
  if (!isObject(meta)) return undefined;
  const { data } = stated.safeParse(meta.ui);
  const resourceUri = data?.resourceUri ?? uri.safeParse(meta["ui/resourceUri"]).data;
  const visibility = data?.visibility;
  if (resourceUri === undefined && visibility === undefined) return undefined;
  return {
    resourceUri,
    model: visibility?.includes("model") ?? true,
    app: visibility?.includes("app") ?? true,
  };
}

/** The answer to `resources/read`. */
export const readResources = z.looseObject({
  contents: z.array(
    z.looseObject({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
      _meta: z.looseObject({ ui: z.unknown().optional() }).optional().catch(undefined),
    }),
  ),
});

const pageMeta = z.object({
  csp: appDomains.optional().catch(undefined),
  prefersBorder: z.boolean().optional().catch(undefined),
});

/** Returns the page among the contents of a resource. Throws UPSTREAM_ERROR if there is none that can be shown. */
export function pageIn({ contents }: z.output<typeof readResources>, wanted: string): AppPage {
  const found = contents.find(({ uri: own }) => own === wanted) ?? contents[0];
  const type = found?.mimeType?.replaceAll(" ", "").toLowerCase();
  if (!found || type !== APP_TYPE) throw noPage(`its type is not ${APP_TYPE}`);
  const html = found.text ?? Buffer.from(found.blob ?? "", "base64").toString("utf8");
  if (html.trim() === "") throw noPage("it is empty");
  if (html.length > MAX_PAGE_CHARACTERS) throw noPage("it is too large");
  const meta = pageMeta.safeParse(found._meta?.ui).data;
  return {
    html,
    domains: meta?.csp ?? {},
    ...(meta?.prefersBorder === undefined ? {} : { border: meta.prefersBorder }),
  };
}

function noPage(why: string): Failure {
  return new Failure("UPSTREAM_ERROR", `The interface of this tool cannot be shown: ${why}.`, {
    retryable: false,
  });
}
