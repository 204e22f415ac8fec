import { z } from "zod";
import type { OidcSettings } from "../accounts/oidc.ts";
import { isSafeAddress } from "../protocol/safe-address.ts";
import type { ReadSetting } from "./access-settings.ts";
import { badSetting } from "./bad-setting.ts";

/** Without encryption, somebody on the way could say who people are. */
const issuer = z.string().refine((text) => isSafeAddress(text) && !/[?#]/.test(text), {
  message: "must be the https address of an OpenID provider (http only on this machine)",
});
const buttonName = z.string().trim().min(1).max(40, "must have at most 40 characters");

/** Reads by which OpenID provider people can sign in. Throws INVALID_INPUT. */
export function readOidc(
  settings: Readonly<Record<string, string | undefined>>,
  read: ReadSetting,
): OidcSettings | undefined {
  const address = read("TACKLE_OIDC_ISSUER", issuer.optional());
  if (address === undefined) {
    const stray = Object.keys(settings).find(
      (name) => name.startsWith("TACKLE_OIDC_") && settings[name] !== undefined,
    );
    if (stray !== undefined) throw badSetting(stray, "needs TACKLE_OIDC_ISSUER");
    if (settings.TACKLE_SIGN_UP === "provider")
      throw badSetting("TACKLE_SIGN_UP", "needs TACKLE_OIDC_ISSUER for provider");
    return undefined;
  }
  const clientSecret = settings.TACKLE_OIDC_CLIENT_SECRET;
  return {
    issuer: address,
    clientId: read("TACKLE_OIDC_CLIENT_ID", z.string("is missing, while TACKLE_OIDC_ISSUER is there")),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    name: read("TACKLE_OIDC_NAME", buttonName.default(new URL(address).hostname)),
    trustEmail: read("TACKLE_OIDC_TRUST_EMAIL", z.enum(["0", "1"]).default("0")) === "1",
  };
}
