/** The colors of the web app, for diagrams. Mermaid calculates with them, so they are no variables. */
interface Colors {
  ground: string;
  sunken: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  accentSoft: string;
  warn: string;
  warnSoft: string;
  danger: string;
  dangerSoft: string;
  /** The words on a color of the series. */
  onSeries: string;
  series: readonly string[];
}

const LIGHT: Colors = {
  ground: "#ffffff",
  sunken: "#f6f4f0",
  ink: "#1e1d1a",
  soft: "#716c63",
  line: "#d9d5cc",
  accent: "#0b6b63",
  accentSoft: "#e2f0ed",
  warn: "#855300",
  warnSoft: "#fbf1dd",
  danger: "#b3261e",
  dangerSoft: "#fcedeb",
  onSeries: "#ffffff",
  series: ["#0b6b63", "#1f56a8", "#93480a", "#7a3bb8", "#1a6b3c", "#b3261e", "#57534b", "#7a4a12"],
};

const DARK: Colors = {
  ground: "#211f1c",
  sunken: "#191816",
  ink: "#edeae4",
  soft: "#979186",
  line: "#403d37",
  accent: "#6fd0c2",
  accentSoft: "#17332f",
  warn: "#f0c06a",
  warnSoft: "#33270f",
  danger: "#ff9a8f",
  dangerSoft: "#3a1e1b",
  onSeries: "#191816",
  series: ["#6fd0c2", "#94bbf7", "#efb680", "#cba6f7", "#93d6a5", "#ff9a8f", "#b8b2a7", "#e0c39a"],
};

const SERIES_LENGTH = 12;

/** Puts the looks of diagrams into a script that draws them: what Mermaid calls a theme, for a light and for a dark page. */
export function withLooks(script: string): string {
  return script.replace(
    "DIAGRAM_LOOKS",
    JSON.stringify({ light: lookOf(LIGHT, false), dark: lookOf(DARK, true) }),
  );
}

function lookOf(colors: Colors, darkMode: boolean) {
  const { ground, sunken, ink, soft, line, accent, accentSoft, warn, warnSoft, danger, dangerSoft } = colors;
  return {
    theme: "base",
    fontFamily: "system-ui, sans-serif",
    // No line goes through the words on it.
    themeCSS: ".edgeLabel rect { opacity: 1; }",
    themeVariables: {
      darkMode,
      fontFamily: "system-ui, sans-serif",
      fontSize: "15px",
      background: ground,
      primaryColor: accentSoft,
      primaryTextColor: ink,
      primaryBorderColor: accent,
      secondaryColor: sunken,
      secondaryTextColor: ink,
      secondaryBorderColor: line,
      tertiaryColor: sunken,
      tertiaryTextColor: ink,
      tertiaryBorderColor: line,
      lineColor: soft,
      textColor: ink,
      titleColor: ink,
      edgeLabelBackground: ground,
      clusterBkg: sunken,
      clusterBorder: line,
      noteBkgColor: warnSoft,
      noteTextColor: ink,
      noteBorderColor: warn,
      labelBoxBkgColor: sunken,
      labelBoxBorderColor: line,
      activationBkgColor: sunken,
      activationBorderColor: soft,
      sequenceNumberColor: colors.onSeries,
      gridColor: line,
      sectionBkgColor: sunken,
      sectionBkgColor2: sunken,
      altSectionBkgColor: ground,
      taskTextDarkColor: ink,
      taskTextOutsideColor: ink,
      doneTaskBkgColor: line,
      doneTaskBorderColor: soft,
      critBkgColor: dangerSoft,
      critBorderColor: danger,
      todayLineColor: danger,
      errorBkgColor: dangerSoft,
      errorTextColor: danger,
      pieStrokeColor: ground,
      pieOuterStrokeColor: line,
      pieSectionTextColor: colors.onSeries,
      pieTitleTextColor: ink,
      pieLegendTextColor: ink,
      pieOpacity: "1",
      attributeBackgroundColorOdd: ground,
      attributeBackgroundColorEven: sunken,
      commitLabelColor: ink,
      commitLabelBackground: sunken,
      tagLabelColor: ink,
      tagLabelBackground: accentSoft,
      tagLabelBorder: accent,
      xyChart: {
        backgroundColor: ground,
        titleColor: ink,
        xAxisLabelColor: ink,
        xAxisTitleColor: ink,
        xAxisTickColor: soft,
        xAxisLineColor: soft,
        yAxisLabelColor: ink,
        yAxisTitleColor: ink,
        yAxisTickColor: soft,
        yAxisLineColor: soft,
        plotColorPalette: colors.series.join(", "),
      },
      ...seriesOf(colors),
    },
  };
}

/** Mermaid numbers the colors of slices, branches and sections, each kind in its own way. */
function seriesOf({ series, onSeries }: Colors): Record<string, string> {
  const variables: Record<string, string> = {};
  for (let index = 0; index < SERIES_LENGTH; index++) {
    const color = series[index % series.length] ?? "";
    variables[`pie${index + 1}`] = color;
    variables[`cScale${index}`] = color;
    variables[`cScaleLabel${index}`] = onSeries;
    variables[`cScaleInv${index}`] = color;
    if (index >= 8) continue;
    variables[`git${index}`] = color;
    variables[`gitInv${index}`] = color;
    variables[`gitBranchLabel${index}`] = onSeries;
    variables[`fillType${index}`] = color;
  }
  return variables;
}
