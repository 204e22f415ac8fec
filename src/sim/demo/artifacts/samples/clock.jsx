import { useEffect, useState } from "react";

const dial = [...Array(60).keys()];

export default function Clock() {
  const [now, setNow] = useState(() => new Date());

  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);

  const seconds = now.getSeconds();
  const minutes = now.getMinutes() + seconds / 60;
  const hours = (now.getHours() % 12) + minutes / 60;

  return (
    <main className="flex min-h-screen flex-col items-center justify-center gap-6 bg-slate-950 p-6 text-white">
      <svg
        viewBox="-100 -100 200 200"
        role="img"
        aria-label={`A clock: ${now.toLocaleTimeString()}`}
        className="w-64"
      >
        <circle r="94" className="fill-slate-900 stroke-slate-700" strokeWidth="4" />
        {dial.map((minute) => (
          <line
            key={minute}
            y1={minute % 5 === 0 ? -78 : -84}
            y2="-88"
            transform={`rotate(${minute * 6})`}
            className={minute % 5 === 0 ? "stroke-slate-200" : "stroke-slate-600"}
            strokeWidth={minute % 5 === 0 ? 3 : 1}
            strokeLinecap="round"
          />
        ))}
        <Hand angle={hours * 30} length={48} width={6} className="stroke-white" />
        <Hand angle={minutes * 6} length={70} width={4} className="stroke-white" />
        <Hand angle={seconds * 6} length={78} width={2} className="stroke-amber-400" />
        <circle r="5" className="fill-amber-400" />
      </svg>
      <p className="text-center">
        <time dateTime={now.toISOString()} className="block text-4xl font-semibold tabular-nums">
          {now.toLocaleTimeString()}
        </time>
        <span className="mt-1 block text-slate-300">
          {now.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" })}
        </span>
      </p>
    </main>
  );
}

function Hand({ angle, length, width, className }) {
  return (
    <line
      y1="10"
      y2={-length}
      transform={`rotate(${angle})`}
      className={className}
      strokeWidth={width}
      strokeLinecap="round"
    />
  );
}
