import { z } from "zod";
import type { JwtSettings } from "../accounts/jwt.ts";
import type { OidcSettings } from "../accounts/oidc.ts";
import type { SmtpSettings } from "../contain/smtp.ts";
import { isSafeAddress } from "../protocol/safe-address.ts";
import { badSetting } from "./bad-setting.ts";

/** Who may use the server, from where, and for what. */
export interface AccessSettings {
  auth: "none" | "guest" | "required";
  corsOrigins: string[];
  /** The address that people use, without a path. */
  publicUrl: string | undefined;
  /** Opens `/metrics` to other machines. */
  metricsToken: string | undefined;
  /** Tools that guests may use besides the harmless ones. */
  guestTools: string[];
  /** Accounts share the roots. Otherwise each has its own folder in the first. */
  sharedRoots: boolean;
  /** Who may sign up: everyone, only the first person, also whom the provider signs in, or no one. */
  signUp: "open" | "first" | "provider" | "closed";
  /** The OpenID provider by which people can sign in. */
  oidc: OidcSettings | undefined;
  /** How to send mail. Without it, forgotten passwords cannot be reset. */
  smtp: SmtpSettings | undefined;
  /** Which tokens of an outside issuer are accepted. None without a secret or a JWKS URL. */
  jwt: JwtSettings;
  /** Encrypts stored keys and signs sessions. Without it, a secret in the data directory is used. */
  secret: string | undefined;
  /** A trusted proxy in front of the server sets the client's address. */
  trustProxy: boolean;
  /** Whether a server that strangers can reach tries large requests before it listens. */
  rehearse: boolean;
}

/** An http(s) address. */
export const webAddress = z.string().refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), {
  message: "must be an http(s) address",
});

/** The origins of sites, apps (`app://obsidian.md`) and extensions (`chrome-extension://…`). Apps whose pages are files have `file://`. */
const ORIGIN = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/*\s]+|file:\/\/)$/;

const originList = z
  .string()
  .transform((text) => text.split(",").map((origin) => origin.trim().replace(/(?<=[^/])\/$/, "")))
  .refine((origins) => origins.every((origin) => ORIGIN.test(origin)), {
    message: "must be exact origins such as https://chat.example.com, comma separated",
  });

const publicUrl = webAddress
  .refine((text) => URL.parse(text)?.pathname === "/", {
    message: "must be an address without a path, for example https://chat.example.com",
  })
  .transform((text) => new URL(text).origin);

const nameList = z.string().transform((text) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
);

/** Reads one setting by its schema. Throws INVALID_INPUT that names it. */
export type ReadSetting = <Output>(name: string, schema: z.ZodType<Output>) => Output;

/** Reads the settings about access. Throws INVALID_INPUT. */
export function readAccess(
  settings: Readonly<Record<string, string | undefined>>,
  auth: AccessSettings["auth"],
  read: ReadSetting,
): Omit<AccessSettings, "auth"> {
  return {
    corsOrigins: read("TACKLE_CORS_ORIGINS", originList.default([])),
    publicUrl: read("TACKLE_PUBLIC_URL", publicUrl.optional()),
    metricsToken: read(
      "TACKLE_METRICS_TOKEN",
      z
        .string()
        .regex(/^\S{16,}$/, "must have at least 16 characters and no spaces")
        .optional(),
    ),
    guestTools: read("TACKLE_GUEST_TOOLS", nameList.default([])),
    sharedRoots: read("TACKLE_ROOTS_SHARED", z.enum(["0", "1"]).default("0")) === "1",
    signUp: read(
      "TACKLE_SIGN_UP",
      z.enum(["open", "first", "provider", "closed"]).default(auth === "required" ? "first" : "open"),
    ),
    smtp: readSmtp(settings, read),
    oidc: readOidc(settings, read),
    jwt: readJwtSettings(settings),
    secret: read("TACKLE_SECRET", z.string().min(32, "must have at least 32 characters").optional()),
    rehearse: read("TACKLE_REHEARSE", z.enum(["0", "1"]).default("1")) === "1",
    trustProxy: read("TACKLE_TRUST_PROXY", z.enum(["0", "1"]).default("0")) === "1",
  };
}

const smtpAddress = z
  .string()
  .refine((text) => /^smtps?:\/\/(?:[^/]*@)?[^/@]+/.test(text) && URL.canParse(text), {
    message: "must be an address such as smtps://user:password@mail.example.com",
  })
  .refine((text) => /^(?:\?tls=(?:required|optional))?$/.test(URL.parse(text)?.search ?? ""), {
    message: "may end in ?tls=required or ?tls=optional, and in nothing else after the port",
  })
  .refine(isEncoded, { message: "has a % that does not begin a code such as %40: write %25 for it" });

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false; // The text has a % that stands for nothing.
  }
}

const sender = z
  .string()
  .regex(/^(?:[^<>\r\n]*<[^@\s<>]+@[^@\s<>]+>|[^@\s<>]+@[^@\s<>]+)$/, "must be an email address");

function readSmtp(
  settings: Readonly<Record<string, string | undefined>>,
  read: ReadSetting,
): SmtpSettings | undefined {
  const url = read("TACKLE_SMTP_URL", smtpAddress.optional());
  if (url === undefined) return undefined;
  if (settings.TACKLE_PUBLIC_URL === undefined)
    throw badSetting("TACKLE_SMTP_URL", "needs TACKLE_PUBLIC_URL, where links in mails lead to");
  return { url, from: read("TACKLE_MAIL_FROM", sender) };
}

/** Without encryption, somebody on the way could say who people are. */
const issuer = z.string().refine((text) => isSafeAddress(text) && !/[?#]/.test(text), {
  message: "must be the https address of an OpenID provider (http only on this machine)",
});
const buttonName = z.string().trim().min(1).max(40, "must have at most 40 characters");

/** Reads by which OpenID provider people can sign in. Throws INVALID_INPUT. */
function readOidc(
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
  return {
    issuer: address,
    clientId: read("TACKLE_OIDC_CLIENT_ID", z.string("is missing, while TACKLE_OIDC_ISSUER is there")),
    clientSecret: settings.TACKLE_OIDC_CLIENT_SECRET,
    name: read("TACKLE_OIDC_NAME", buttonName.default(new URL(address).hostname)),
    trustEmail: read("TACKLE_OIDC_TRUST_EMAIL", z.enum(["0", "1"]).default("0")) === "1",
  };
}

const ADMIN_CLAIM = /^([\w.:/-]+)=(.+)$/;

/** Reads which tokens of an outside issuer are accepted. Throws INVALID_INPUT. */
function readJwtSettings(settings: Readonly<Record<string, string | undefined>>): JwtSettings {
  const { TACKLE_JWT_SECRET: secret, TACKLE_JWKS_URL: jwksUrl } = settings;
  if (secret !== undefined && jwksUrl !== undefined)
    throw badSetting("TACKLE_JWKS_URL", "cannot be used together with TACKLE_JWT_SECRET; set one of them");
  if (jwksUrl !== undefined && !(/^https?:\/\//.test(jwksUrl) && URL.canParse(jwksUrl)))
    throw badSetting("TACKLE_JWKS_URL", "must be the http(s) address of a key set");
  return {
    secret,
    jwksUrl,
    issuer: settings.TACKLE_JWT_ISSUER,
    audience: settings.TACKLE_JWT_AUDIENCE,
    adminClaim: readAdminClaim(settings.TACKLE_JWT_ADMIN_CLAIM),
  };
}

function readAdminClaim(text: string | undefined): JwtSettings["adminClaim"] {
  if (text === undefined) return undefined;
  const [, name, value] = ADMIN_CLAIM.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw badSetting("TACKLE_JWT_ADMIN_CLAIM", "must be name=value, for example role=admin");
  return { name, value };
}
