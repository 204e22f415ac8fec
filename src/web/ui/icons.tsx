const PATHS = {
  plus: "M12 5v14M5 12h14",
  back: "M19 12H5M11 6l-6 6 6 6",
  menu: "M4 7h16M4 12h16M4 17h10",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14ZM16 16l4 4",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  attach:
    "M20 11.5 12.5 19a5 5 0 0 1-7-7L13 4.5a3.3 3.3 0 0 1 4.7 4.7L10.3 16.6a1.6 1.6 0 0 1-2.3-2.3l6.8-6.8",
  close: "M6 6l12 12M18 6 6 18",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  down: "M6 9l6 6 6-6",
  previous: "M14.5 6l-6 6 6 6",
  next: "M9.5 6l6 6-6 6",
  toBottom: "M12 5v14M6 13l6 6 6-6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  retry: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 16V4M7 9l5-5 5 5M5 20h14",
  outside: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8ZM5 20c.6-3.6 3.4-5.5 7-5.5s6.4 1.9 7 5.5",
  warning: "M12 4 2.8 20h18.4zM12 10v5M12 17.5v.01",
  thought: "M12 3a6 6 0 0 1 3.5 10.9V17h-7v-3.1A6 6 0 0 1 12 3ZM9.5 20.5h5",
  tools: "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z",
  artifact: "M4 5h16v14H4zM4 9h16M8 13l-1.5 1.5L8 16M12 13l1.5 1.5L12 16",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text or inside a labeled button; screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
