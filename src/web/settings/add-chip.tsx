import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

/** A button that opens the form for something new. */
export function AddChip({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <Button onClick={onClick}>
      <Icon name="plus" size="tiny" />
      {label}
    </Button>
  );
}
