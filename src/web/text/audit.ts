import { administrationEnglish } from "./administration-english.ts";
import { auditEnglish } from "./audit-english.ts";
import { addTexts } from "./translate.ts";

/** Returns a text of the audit log, or of administration, in the person's language. */
export const t = addTexts({ ...administrationEnglish, ...auditEnglish });
