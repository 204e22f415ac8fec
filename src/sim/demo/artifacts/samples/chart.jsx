const data = [
  // rows
];

const width = 480;
const height = 240;
const gap = 12;

export default function BarChart() {
  const highest = Math.max(...data.map((bar) => bar.value));
  const barWidth = (width - gap * (data.length - 1)) / data.length;

  return (
    <main className="flex min-h-screen items-center justify-center bg-slate-50 p-6 dark:bg-slate-900">
      <figure className="w-full max-w-2xl rounded-2xl bg-white p-6 shadow-lg ring-1 ring-black/5 dark:bg-slate-800 dark:ring-white/10">
        <figcaption className="mb-6 flex items-baseline justify-between">
          <span className="text-lg font-semibold text-slate-900 dark:text-white">Overview</span>
          <span className="text-sm text-slate-600 dark:text-slate-300">highest: {highest}</span>
        </figcaption>
        <svg
          viewBox={`0 -24 ${width} ${height + 52}`}
          role="img"
          aria-label={`Bar chart: ${data.map((bar) => `${bar.label} ${bar.value}`).join(", ")}`}
          className="w-full"
        >
          {[0.25, 0.5, 0.75, 1].map((share) => (
            <line
              key={share}
              x2={width}
              y1={height * (1 - share)}
              y2={height * (1 - share)}
              className="stroke-slate-200 dark:stroke-slate-700"
            />
          ))}
          {data.map((bar, index) => {
            const barHeight = highest === 0 ? 0 : (bar.value / highest) * height;
            const x = index * (barWidth + gap);
            return (
              <g key={bar.label} className="group">
                <rect
                  x={x}
                  y={height - barHeight}
                  width={barWidth}
                  height={barHeight}
                  rx="6"
                  className="fill-sky-600 transition group-hover:fill-sky-400"
                />
                <text
                  x={x + barWidth / 2}
                  y={height - barHeight - 8}
                  textAnchor="middle"
                  className="fill-slate-900 text-sm font-medium dark:fill-white"
                >
                  {bar.value}
                </text>
                <text
                  x={x + barWidth / 2}
                  y={height + 20}
                  textAnchor="middle"
                  className="fill-slate-600 text-sm dark:fill-slate-300"
                >
                  {bar.label}
                </text>
              </g>
            );
          })}
        </svg>
      </figure>
    </main>
  );
}
