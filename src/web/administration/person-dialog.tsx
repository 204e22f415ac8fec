import { DeviceList } from "../settings/devices.tsx";
import { t } from "../text/administration.ts";
import { Dialog } from "../ui/dialog.tsx";
import { UsageOf } from "../usage/usage-of.tsx";
import { DeletePerson } from "./delete-person.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { NewPassword } from "./new-password.tsx";
import { PersonalOffer } from "./offers.tsx";
import type { Act, Listed } from "./people.tsx";

/** What of a person is looked at, or about to be changed. */
export type About = "usage" | "limits" | "models" | "devices" | "password" | "deletion";

interface Props {
  about: About;
  user: Listed;
  /** The server's limits for accounts. */
  usual: Readonly<Record<string, number | null>>;
  act: Act;
  onClose(): void;
}

/** One dialog about a person. */
export function PersonDialog({ about, user, usual, act, onClose }: Props) {
  const path = `/admin/users/${encodeURIComponent(user.id)}`;
  const change = async (...request: Parameters<Act>) => {
    if (await act(...request)) onClose();
  };
  switch (about) {
    case "usage":
      return (
        <Dialog title={t("usageOf", { name: user.email })} className="wide" onClose={onClose}>
          <UsageOf path={`${path}/usage`} />
        </Dialog>
      );
    case "limits":
      return (
        <LimitsDialog
          title={t("limitsOf", { name: user.email })}
          hint={t("limitsHint")}
          values={user.limits}
          usual={usual}
          onClose={onClose}
          onSave={(limits) => change("PUT", `${path}/limits`, { limits })}
        />
      );
    case "models":
      return (
        <PersonalOffer
          user={user}
          onClose={onClose}
          onSave={(offer) => change("PUT", `${path}/models`, offer)}
        />
      );
    case "devices":
      return (
        <Dialog title={t("devicesOf", { name: user.email })} className="narrow" onClose={onClose}>
          <DeviceList path={`${path}/devices`} empty={t("nowhereSignedIn")} />
        </Dialog>
      );
    case "password":
      return <NewPassword user={user} onClose={onClose} />;
    case "deletion":
      return <DeletePerson user={user} onClose={onClose} onDelete={() => change("DELETE", path)} />;
  }
}
