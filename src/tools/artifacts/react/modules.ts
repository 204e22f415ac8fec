import type { Vendor } from "../vendor.ts";

/** How an import in an artifact is resolved. */
export type Resolved =
  | { kind: "vendored"; name: string; fixed?: string }
  /** A style sheet, which is not needed. */
  | { kind: "dropped"; why: string }
  /** Replaced by a few lines of code. */
  | { kind: "stand-in"; write(imported: string, local: string): string | undefined }
  /** Another icon set: replaced by the nearest icons of lucide-react. */
  | { kind: "icons"; nameOf(imported: string): string }
  | { kind: "unknown" };

const ALIASES: Record<string, string> = {
  motion: "framer-motion",
  "motion/react": "framer-motion",
  "framer-motion/dist/framer-motion": "framer-motion",
  lucide: "lucide-react",
  "@lucide/react": "lucide-react",
  reactdom: "react-dom",
  "react-dom/server": "react-dom",
  "react/jsx-dev-runtime": "react/jsx-runtime",
  lodash: "lodash-es",
  "@radix-ui/themes": "radix-ui",
};

const PICTURE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='160' height='120'%3E%3Crect width='160' height='120' fill='%23cbd5e1'/%3E%3C/svg%3E";
const JOIN_CLASSES =
  '(...parts) => parts.flat(Infinity).flatMap((part) => part && typeof part === "object" ? Object.keys(part).filter((key) => part[key]) : part || []).join(" ")';
const ANY_TYPE =
  'new Proxy(function () {}, { get: (_, key) => (key === "isRequired" ? undefined : ANY), apply: () => ANY })';

/** Small libraries whose functions are written into the artifact. */
const STAND_INS: Record<string, (imported: string) => string | undefined> = {
  clsx: () => JOIN_CLASSES,
  classnames: () => JOIN_CLASSES,
  "tailwind-merge": () => JOIN_CLASSES,
  "@/lib/utils": (imported) => (imported === "cn" ? JOIN_CLASSES : undefined),
  "prop-types": () => ANY_TYPE.replaceAll("ANY", "(() => {})"),
  uuid: (imported) =>
    /^v\d$|default/.test(imported)
      ? "() => Math.random().toString(16).slice(2) + Date.now().toString(16)"
      : undefined,
  nanoid: () => "() => Math.random().toString(36).slice(2)",
  "next/image": () =>
    '({ src, alt, fill, priority, ...rest }) => <img src={src?.src ?? src} alt={alt ?? ""} {...rest} />',
  "next/link": () => "({ href, children, ...rest }) => <a href={href} {...rest}>{children}</a>",
  "next/head": () => "() => null",
};

/** Resolves the module name of an import. */
export function resolveModule(source: string, vendor: Vendor): Resolved {
  if (vendor.modules.has(source)) return { kind: "vendored", name: source };
  if (/\.(?:css|scss|sass|less)(?:\?.*)?$/i.test(source) || /^tailwindcss(?:\/|$)/.test(source))
    return {
      kind: "dropped",
      why: `The style sheet “${source}” is not needed: Tailwind's classes are there.`,
    };
  if (/\.(?:png|jpe?g|gif|webp|svg|avif|ico)(?:\?.*)?$/i.test(source))
    return { kind: "stand-in", write: (_, local) => `const ${local} = ${JSON.stringify(PICTURE)};` };
  const name = plainName(source);
  const found = [name, ALIASES[name] ?? "", name.toLowerCase(), ALIASES[name.toLowerCase()] ?? ""].find(
    (one) => vendor.modules.has(one),
  );
  if (found !== undefined)
    return { kind: "vendored", name: found, fixed: `“${source}” is called “${found}” here.` };
  if (/^lucide-react\//.test(name)) return { kind: "icons", nameOf: pascal };
  if (/^react-icons(?:\/|$)/.test(name))
    return {
      kind: "icons",
      nameOf: (imported) =>
        imported.replace(/^[A-Z][a-z]{1,2}(?=[A-Z])/, "").replace(/^(?:Outline|Fill|Regular|Solid)/, ""),
    };
  if (
    /^@heroicons\/|^@tabler\/icons|^@phosphor-icons|^phosphor-react|^react-feather$|^@mui\/icons-material/.test(
      name,
    )
  )
    return {
      kind: "icons",
      nameOf: (imported) => imported.replace(/^Icon(?=[A-Z])/, "").replace(/(?:Icon|Outlined|Rounded)$/, ""),
    };
  const standIn = Object.hasOwn(STAND_INS, name) ? STAND_INS[name] : undefined;
  const library = standIn ?? (/(?:^|\/)lib\/utils$/.test(name) ? STAND_INS["@/lib/utils"] : undefined);
  if (library) {
    return {
      kind: "stand-in",
      write(imported, local) {
        const text = library(imported);
        return text === undefined ? undefined : `const ${local} = ${text};`;
      },
    };
  }
  if (/(?:^|\/)components\/ui(?:\/|$)/.test(name) && vendor.modules.has("@/components/ui"))
    return { kind: "vendored", name: "@/components/ui", fixed: `“${source}” is a plain stand-in here.` };
  return { kind: "unknown" };
}

/** The package name without CDN address, version and entry file. */
function plainName(source: string): string {
  return source
    .replace(
      /^(?:npm:|https?:\/\/(?:esm\.sh|esm\.run|cdn\.skypack\.dev|unpkg\.com|cdn\.jsdelivr\.net\/npm|jspm\.dev|ga\.jspm\.io\/npm:)\/?)/,
      "",
    )
    .replace(/[?#].*$/, "")
    .replace(/^((?:@[^/]+\/)?[^/@]+)@[^/]+/, "$1")
    .replace(/\/(?:\+esm|index|dist\/.*|umd\/.*|build\/.*)(?:\.m?js)?$/, (tail) =>
      /^\/dist\/esm\/icons/.test(tail) ? tail : "",
    )
    .replace(/\.m?js$/, "");
}

/** `arrow-up-right` → `ArrowUpRight` */
export function pascal(name: string): string {
  const last = name.split("/").at(-1) ?? "";
  return last.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
