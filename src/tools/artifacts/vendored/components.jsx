// Plain stand-ins for the components that artifacts expect in “@/components/ui”: the same names, the same children.
import { createContext, useContext, useId, useState } from "react";

const join = (...parts) => parts.filter(Boolean).join(" ");

/** An element of one kind with its own look, which a class can add to. */
function styled(Tag, look) {
  return function Styled({ className, asChild: _, ...rest }) {
    return <Tag className={join(look, className)} {...rest} />;
  };
}

const BUTTONS = {
  default: "bg-slate-900 text-white hover:bg-slate-700",
  destructive: "bg-red-600 text-white hover:bg-red-500",
  outline: "border border-slate-300 bg-white hover:bg-slate-100",
  secondary: "bg-slate-100 text-slate-900 hover:bg-slate-200",
  ghost: "hover:bg-slate-100",
  link: "text-slate-900 underline",
};
const SIZES = { default: "h-10 px-4 py-2", sm: "h-9 px-3", lg: "h-11 px-8", icon: "h-10 w-10" };

export function Button({ className, variant = "default", size = "default", asChild: _, ...rest }) {
  const look =
    "inline-flex items-center justify-center gap-2 rounded-md text-sm font-medium disabled:opacity-50";
  return <button type="button" className={join(look, BUTTONS[variant], SIZES[size], className)} {...rest} />;
}

export const Card = styled("div", "rounded-lg border border-slate-200 bg-white text-slate-900 shadow-sm");
export const CardHeader = styled("div", "flex flex-col gap-1.5 p-6");
export const CardTitle = styled("h3", "text-2xl font-semibold leading-none");
export const CardDescription = styled("p", "text-sm text-slate-500");
export const CardContent = styled("div", "p-6 pt-0");
export const CardFooter = styled("div", "flex items-center p-6 pt-0");
export const Input = styled(
  "input",
  "h-10 w-full rounded-md border border-slate-300 bg-white px-3 py-2 text-sm",
);
export const Textarea = styled(
  "textarea",
  "min-h-20 w-full rounded-md border border-slate-300 bg-white px-3 py-2 text-sm",
);
export const Label = styled("label", "text-sm font-medium");
export const Badge = styled(
  "span",
  "inline-flex items-center rounded-full border px-2.5 py-0.5 text-xs font-semibold",
);
export const Separator = styled("hr", "my-2 border-slate-200");
export const Skeleton = styled("div", "animate-pulse rounded-md bg-slate-200");
export const Alert = styled("div", "relative w-full rounded-lg border border-slate-200 p-4");
export const AlertTitle = styled("h5", "mb-1 font-medium");
export const AlertDescription = styled("div", "text-sm");
export const Avatar = styled("span", "relative flex h-10 w-10 shrink-0 overflow-hidden rounded-full");
export const AvatarImage = styled("img", "h-full w-full");
export const AvatarFallback = styled(
  "span",
  "flex h-full w-full items-center justify-center rounded-full bg-slate-100",
);
export const ScrollArea = styled("div", "overflow-auto");
export const Table = styled("table", "w-full text-sm");
export const TableHeader = styled("thead", "");
export const TableBody = styled("tbody", "");
export const TableRow = styled("tr", "border-b border-slate-200");
export const TableHead = styled("th", "h-10 px-3 text-left font-medium text-slate-500");
export const TableCell = styled("td", "p-3");
export const TableCaption = styled("caption", "mt-4 text-sm text-slate-500");

export function Progress({ value = 0, className, ...rest }) {
  return (
    <div
      role="progressbar"
      aria-valuenow={value}
      className={join("h-4 w-full overflow-hidden rounded-full bg-slate-200", className)}
      {...rest}
    >
      <div className="h-full bg-slate-900" style={{ width: `${value}%` }} />
    </div>
  );
}

export function Switch({ checked, defaultChecked, onCheckedChange, className, ...rest }) {
  return <Toggle role="switch" {...{ checked, defaultChecked, onCheckedChange, className }} {...rest} />;
}

export function Checkbox({ checked, defaultChecked, onCheckedChange, className, ...rest }) {
  return <Toggle {...{ checked, defaultChecked, onCheckedChange, className }} {...rest} />;
}

function Toggle({ checked, defaultChecked, onCheckedChange, className, ...rest }) {
  const controlled = checked === undefined ? { defaultChecked } : { checked };
  const change = (event) => onCheckedChange?.(event.target.checked);
  return (
    <input
      type="checkbox"
      className={join("h-4 w-4", className)}
      {...controlled}
      onChange={change}
      {...rest}
    />
  );
}

export function Slider({ value, defaultValue, onValueChange, className, ...rest }) {
  const first = (list) => (Array.isArray(list) ? list[0] : list);
  const controlled = value === undefined ? { defaultValue: first(defaultValue) } : { value: first(value) };
  const change = (event) => onValueChange?.([Number(event.target.value)]);
  return (
    <input type="range" className={join("w-full", className)} {...controlled} onChange={change} {...rest} />
  );
}

const Chosen = createContext({ value: undefined, choose() {} });

function Chooser({ value, defaultValue, onValueChange, children, ...rest }) {
  const [own, setOwn] = useState(defaultValue);
  const choose = (next) => {
    setOwn(next);
    onValueChange?.(next);
  };
  return (
    <Chosen value={{ value: value ?? own, choose }}>
      <div {...rest}>{children}</div>
    </Chosen>
  );
}

export const Tabs = Chooser;
export const TabsList = styled("div", "inline-flex h-10 items-center rounded-md bg-slate-100 p-1");

export function TabsTrigger({ value, className, ...rest }) {
  const chosen = useContext(Chosen);
  const look = chosen.value === value ? "bg-white shadow-sm" : "text-slate-500";
  return (
    <button
      type="button"
      role="tab"
      aria-selected={chosen.value === value}
      className={join("rounded-sm px-3 py-1.5 text-sm font-medium", look, className)}
      onClick={() => chosen.choose(value)}
      {...rest}
    />
  );
}

export function TabsContent({ value, className, ...rest }) {
  return useContext(Chosen).value === value ? (
    <div role="tabpanel" className={join("mt-2", className)} {...rest} />
  ) : null;
}

export const Accordion = Chooser;
export function AccordionItem({ value, className, ...rest }) {
  return (
    <details
      className={join("border-b border-slate-200", className)}
      name={undefined}
      data-value={value}
      {...rest}
    />
  );
}
export const AccordionTrigger = styled("summary", "cursor-pointer py-4 font-medium");
export const AccordionContent = styled("div", "pb-4 text-sm");

export const RadioGroup = Chooser;
export function RadioGroupItem({ value, className, ...rest }) {
  const chosen = useContext(Chosen);
  return (
    <input
      type="radio"
      className={join("h-4 w-4", className)}
      checked={chosen.value === value}
      onChange={() => chosen.choose(value)}
      {...rest}
    />
  );
}

export const Select = Chooser;
export const SelectTrigger = styled("div", "rounded-md border border-slate-300 px-3 py-2 text-sm");
export const SelectContent = styled("div", "mt-1 rounded-md border border-slate-200 bg-white p-1");
export const SelectGroup = styled("div", "");
export const SelectLabel = styled("div", "px-2 py-1 text-sm font-semibold");
export function SelectValue({ placeholder }) {
  return <span>{useContext(Chosen).value ?? placeholder}</span>;
}
export function SelectItem({ value, className, ...rest }) {
  const { choose } = useContext(Chosen);
  return (
    <button
      type="button"
      className={join("block w-full rounded px-2 py-1 text-left text-sm hover:bg-slate-100", className)}
      onClick={() => choose(value)}
      {...rest}
    />
  );
}

const Opened = createContext({ open: false, setOpen() {}, id: "" });

function Opener({ open, defaultOpen = false, onOpenChange, children }) {
  const [own, setOwn] = useState(defaultOpen);
  const id = useId();
  const setOpen = (next) => {
    setOwn(next);
    onOpenChange?.(next);
  };
  return <Opened value={{ open: open ?? own, setOpen, id }}>{children}</Opened>;
}

function OpenerTrigger({ children, asChild: _, ...rest }) {
  const { open, setOpen } = useContext(Opened);
  return (
    <span role="none" onClick={() => setOpen(!open)} {...rest}>
      {children}
    </span>
  );
}

function OpenerContent({ className, ...rest }) {
  return useContext(Opened).open ? (
    <div className={join("rounded-lg border border-slate-200 bg-white p-6 shadow-lg", className)} {...rest} />
  ) : null;
}

export const Dialog = Opener;
export const DialogTrigger = OpenerTrigger;
export const DialogContent = OpenerContent;
export const DialogHeader = styled("div", "flex flex-col gap-1.5");
export const DialogFooter = styled("div", "flex justify-end gap-2");
export const DialogTitle = styled("h2", "text-lg font-semibold");
export const DialogDescription = styled("p", "text-sm text-slate-500");
export const Sheet = Opener;
export const SheetTrigger = OpenerTrigger;
export const SheetContent = OpenerContent;
export const SheetHeader = DialogHeader;
export const SheetTitle = DialogTitle;
export const SheetDescription = DialogDescription;
export const Popover = Opener;
export const PopoverTrigger = OpenerTrigger;
export const PopoverContent = OpenerContent;
export const Collapsible = Opener;
export const CollapsibleTrigger = OpenerTrigger;
export const CollapsibleContent = OpenerContent;
export const DropdownMenu = Opener;
export const DropdownMenuTrigger = OpenerTrigger;
export const DropdownMenuContent = OpenerContent;
export const DropdownMenuItem = styled(
  "div",
  "cursor-pointer rounded px-2 py-1.5 text-sm hover:bg-slate-100",
);
export const DropdownMenuLabel = styled("div", "px-2 py-1.5 text-sm font-semibold");
export const DropdownMenuSeparator = Separator;
export const Tooltip = ({ children }) => <>{children}</>;
export const TooltipProvider = Tooltip;
export const TooltipTrigger = Tooltip;
export const TooltipContent = () => null;
