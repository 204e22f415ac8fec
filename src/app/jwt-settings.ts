import type { JwtSettings } from "../accounts/jwt.ts";
import { badSetting } from "./bad-setting.ts";

const ADMIN_CLAIM = /^([\w.:/-]+)=(.+)$/;

/** Reads which tokens of an outside issuer are accepted. Throws INVALID_INPUT. */
export function readJwtSettings(settings: Readonly<Record<string, string | undefined>>): JwtSettings {
  const { TACKLE_JWT_SECRET: secret, TACKLE_JWKS_URL: jwksUrl } = settings;
  if (secret !== undefined && jwksUrl !== undefined)
    throw badSetting("TACKLE_JWKS_URL", "cannot be used together with TACKLE_JWT_SECRET; set one of them");
  if (jwksUrl !== undefined && !(/^https?:\/\//.test(jwksUrl) && URL.canParse(jwksUrl)))
    throw badSetting("TACKLE_JWKS_URL", "must be the http(s) address of a key set");
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(jwksUrl === undefined ? {} : { jwksUrl }),
    ...(settings.TACKLE_JWT_ISSUER === undefined ? {} : { issuer: settings.TACKLE_JWT_ISSUER }),
    ...(settings.TACKLE_JWT_AUDIENCE === undefined ? {} : { audience: settings.TACKLE_JWT_AUDIENCE }),
    ...readAdminClaim(settings.TACKLE_JWT_ADMIN_CLAIM),
  };
}

function readAdminClaim(text: string | undefined): Pick<JwtSettings, "adminClaim"> {
  if (text === undefined) return {};
  const [, name, value] = ADMIN_CLAIM.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw badSetting("TACKLE_JWT_ADMIN_CLAIM", "must be name=value, for example role=admin");
  return { adminClaim: { name, value } };
}
