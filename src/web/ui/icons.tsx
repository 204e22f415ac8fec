/** Drawn on a grid of 24, with round ends. */
const PATHS = {
  bad: "M7 4.5v9M7 13.5H3.8v-9H7l2-.5h8.2l2 7.5c.3 1-.4 2-1.5 2h-4.2l.8 4.2c.2 1-.6 1.8-1.5 1.8L9 13.5 7 13.5",
  archive: "M4 5h16v4H4zM5.5 9v10.5h13V9M10 13h4",
  artifact: "M4 5h16v14H4zM4 10h16M10 10v9",
  attach: "M12 5v14M5 12h14",
  back: "M19 12H5M11 6l-6 6 6 6",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4",
  branch: "M7 4.5v15M7 15c7 0 10-2.5 10-7.5M14.5 9.5 17 7l2.5 2.5",
  chart: "M5 19.5V11M12 19.5v-15M19 19.5V14",
  chat: "M9 7h11M9 12h11M9 17h11M4.5 7h.01M4.5 12h.01M4.5 17h.01",
  check: "M5 12.5l4.5 4.5L19 7.5",
  clock: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16ZM12 8v4.3l2.8 1.7",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  compose: "M20 13v6.5H4.5V4.5H11M9.5 14.5l.6-3L18 3.8l2.3 2.3-7.7 7.8z",
  copy: "M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9",
  data: "M5 7c0-1.7 3-2.5 7-2.5s7 .8 7 2.5-3 2.5-7 2.5S5 8.7 5 7ZM5 7v10c0 1.7 3 2.5 7 2.5s7-.8 7-2.5V7M5 12c0 1.7 3 2.5 7 2.5s7-.8 7-2.5",
  down: "M7 10l5 5 5-5",
  download: "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 19.5h14",
  edit: "M4.5 19.5h4L19 9l-4-4L4.5 15.5zM13 7l4 4",
  file: "M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5",
  folder: "M3.5 18.5v-13h6l2 2.5h9v10.5z",
  full: "M4.5 9V4.5H9M19.5 9V4.5H15M4.5 15v4.5H9M19.5 15v4.5H15",
  good: "M7 19.5v-9M7 10.5H3.8v9H7l2 .5h8.2l2-7.5c.3-1-.4-2-1.5-2h-4.2l.8-4.200c.2-1-.6-1.800-1.5-1.800L9 10.5H7",
  image: "M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 5M15.5 9v.01",
  key: "M8.5 11a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM11.5 12.2 19.5 4.5M16 8l2.5 2.5",
  link: "M10 14a4 4 0 0 0 5.7 0l2.6-2.6a4 4 0 0 0-5.7-5.7L11.5 6.8M14 10a4 4 0 0 0-5.7 0l-2.6 2.6a4 4 0 0 0 5.7 5.7l1.1-1.1",
  memory: "M7 4.5h10v15l-5-3.5-5 3.5z",
  menu: "M4 8.5h16M4 15.5h11",
  microphone:
    "M12 4a2.7 2.7 0 0 1 2.7 2.7v4.6a2.7 2.7 0 0 1-5.4 0V6.7A2.7 2.7 0 0 1 12 4ZM6 11.5a6 6 0 0 0 12 0M12 17.5v3",
  minus: "M5 12h14",
  more: "M5.5 12h.01M12 12h.01M18.5 12h.01",
  next: "M10 7l5 5-5 5",
  offline:
    "M4.5 4.5l15 15M8.5 16.2a5 5 0 0 1 7 0M5.5 12.8a9.5 9.5 0 0 1 5-2.6M14.5 10.6a9.5 9.5 0 0 1 4 2.2M3 9a14 14 0 0 1 4.5-2.7M11 5.1A14 14 0 0 1 21 9M12 19.5v.01",
  outside: "M14 4.5h5.5V10M19.5 4.5l-8.5 8.5M18 14v5.5H4.5V6H10",
  person: "M12 4.5a3.7 3.7 0 1 1 0 7.4 3.7 3.7 0 0 1 0-7.4ZM5 19.5c.7-3.3 3.5-5 7-5s6.3 1.7 7 5",
  pin: "M9 4.5h6l-1 5.5 3 3H7l3-3zM12 13v6.5",
  plus: "M12 5v14M5 12h14",
  point: "M5 4.5 10.8 19l2.1-6.2L19 10.6zM13.5 13.5l5.5 5.5",
  previous: "M14 7l-5 5 5 5",
  retry: "M19.5 12a7.5 7.5 0 1 1-2.4-5.5M19.5 3.5V8H15",
  pause: "M8.5 6v12M15.5 6v12",
  play: "M8 5.5v13l10.5-6.5z",
  search: "M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM16 16l4 4",
  send: "M12 19V5M6 11l6-6 6 6",
  settings: "M4 8h10M18 8h2M16 6v4M4 16h2M10 16h10M8 14v4",
  share: "M12 15V4M8 7.5 12 3.5l4 4M5 12v7.5h14V12",
  sidebar: "M4 5.5h16v13H4zM9.5 5.5v13",
  speaker: "M4.5 9.5v5h3l4.5 4v-13l-4.5 4zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.7 7.7 0 0 1 0 11",
  stop: "M8 8h8v8H8z",
  temporary:
    "M12 4a8 8 0 0 1 2.5.4M17.6 6.300a8 8 0 0 1 1.700 2.400M20 12a8 8 0 0 1-.6 3M16.700 18.500a8 8 0 0 1-2.600 1.200M10.700 19.900 4.500 20l1.600-3.500M4.400 14a8 8 0 0 1 .1-4.500M6.700 6a8 8 0 0 1 2.400-1.500",
  terminal: "M4 5.5h16v13H4zM7.5 9.5l2.5 2.5-2.5 2.5M12.5 15h4",
  thought:
    "M12 4.5v3M12 16.5v3M4.5 12h3M16.5 12h3M6.7 6.7l2.1 2.1M15.2 15.2l2.1 2.1M17.3 6.7l-2.1 2.1M8.8 15.2l-2.1 2.1",
  toBottom: "M12 5v14M6 13l6 6 6-6",
  tools: "M4 9h16v10H4zM9 9V5.5h6V9M4 14h16",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7",
  undo: "M8.5 5 4.5 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11h-3",
  warning: "M12 4 3 19.5h18zM12 10v4.5M12 17v.01",
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  name: IconName;
  /** 16 or 14 pixels instead of 18. */
  size?: "small" | "tiny";
}

/** An icon beside a text or inside a labeled button; screen readers skip it. */
export function Icon({ name, size }: IconProps) {
  const className = size === undefined ? "icon" : `icon ${size}`;
  return (
    <svg className={className} data-name={name} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark of Tackle: a rope over a wheel, with its load. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M4.8 20.5V10.7a7.2 7.2 0 0 1 14.4 0V17" />
      <circle cx="12" cy="10.7" r="2.7" />
      <circle cx="19.2" cy="18.6" r="3" />
    </svg>
  );
}
