import { useEffect, useRef, useState } from "react";
import { connection, isCutOff } from "../state/connection.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";

const BACK_MS = 2_000;

/** Says that the server cannot be reached, and for a moment that it can be again. */
export function ConnectionBanner() {
  const cut = connection(isCutOff);
  const online = connection((state) => state.online);
  const before = useRef(cut);
  const [back, setBack] = useState(false);
  useEffect(() => {
    const isBack = before.current && !cut;
    before.current = cut;
    setBack(isBack);
    if (!isBack) return;
    const timer = setTimeout(() => setBack(false), BACK_MS);
    return () => clearTimeout(timer);
  }, [cut]);
  if (!cut && !back) return null;
  return (
    <p className="banner connection" data-part="banner" data-back={!cut} role="status">
      <Icon name={cut ? "offline" : "check"} size="small" />
      {t(cut ? (online ? "unreachable" : "offline") : "backOnline")}
    </p>
  );
}
