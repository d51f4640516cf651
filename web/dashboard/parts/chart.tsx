import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { count, dollars, duration } from "../../../src/render/dashboard/amounts.ts";
import { findIsolated, type Line } from "../overview/series.ts";

/** The step of a chart. Days are days in UTC, by which the proxy sums calls. */
type StepUnit = "minute" | "hour" | "day";

interface ChartProps {
  readonly title: string;
  /** The beginnings of the steps, in milliseconds since 1970. */
  readonly steps: readonly number[];
  readonly unit: StepUnit;
  readonly lines: readonly Line[];
  readonly format: ChartFormat;
  /** The colors of the lines: names of custom properties of the page. */
  readonly colors?: readonly string[];
}

export type ChartFormat = "count" | "dollars" | "duration";

/** The formats of values and of ticks, and the end of the value axis of a chart without values above 0. */
const FORMATS = {
  count: { text: count, tick: count, empty: 4 },
  dollars: { text: dollars, tick: (value: number) => `$${Number(value.toPrecision(3))}`, empty: 1 },
  duration: { text: duration, tick: duration, empty: 1_000 },
};

const LINE_COLORS = ["--copper", "--blue", "--amber", "--violet", "--red", "--ink-3"];
const HEIGHT = 150;

/**
 * Draws lines over time. The drawing is hidden from assistive technology and cannot be focused; the table below it has
 * the same values.
 */
export function Chart({ title, steps, unit, lines, format, colors = LINE_COLORS }: ChartProps) {
  const room = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number>();
  const [isOpen, setIsOpen] = useState(false);
  const isDark = useDarkScheme();
  const shape = `${lines.length} ${unit} ${isDark}`;
  const plot = useRef<uPlot>(undefined);
  const data = [
    steps.map((step) => step / 1000),
    ...lines.map(({ values }) => [...values]),
  ] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new drawing is needed for another shape only.
  useEffect(() => {
    const element = room.current;
    if (!element) return undefined;
    const palette = colors.map((name) => resolveColor(element, name));
    const options = optionsFor({ palette, count: lines.length, unit, format, element, onHover: setHovered });
    const drawing = new uPlot(
      { ...options, width: element.clientWidth || 320, height: HEIGHT },
      latest.current,
      element,
    );
    plot.current = drawing;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) drawing.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawing.destroy();
      plot.current = undefined;
    };
  }, [shape]);

  useEffect(() => plot.current?.setData(latest.current));

  const at = hovered !== undefined && hovered < steps.length ? hovered : undefined;
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <span className="chart-time">{at !== undefined && formatStep(steps[at] ?? 0, unit)}</span>
      </figcaption>
      <ul className="legend">
        {lines.map(({ label, values }, index) => (
          <li key={label}>
            <svg viewBox="0 0 12 4" aria-hidden="true">
              <path d="M0 2h12" stroke={`var(${colors[index] ?? "--ink"})`} strokeWidth="3" />
            </svg>
            {label}
            {at !== undefined && <b>{formatValue(values[at], format)}</b>}
          </li>
        ))}
      </ul>
      <div className="drawing" ref={room} aria-hidden="true" />
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          Table<span className="visually-hidden"> of {title}</span>
        </summary>
        {isOpen && <ChartTable title={title} steps={steps} unit={unit} lines={lines} format={format} />}
      </details>
    </figure>
  );
}

function ChartTable({ title, steps, unit, lines, format }: Omit<ChartProps, "colors">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className="chart-table" tabIndex={0} aria-label={`Table of ${title}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {lines.map(({ label }) => (
              <th scope="col" className="figure" key={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps
            .map((step, index) => (
              <tr key={step}>
                <th scope="row">{formatStep(step, unit)}</th>
                {lines.map(({ label, values }) => (
                  <td className="figure" key={label}>
                    {formatValue(values[index], format)}
                  </td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  );
}

const formatValue = (value: number | null | undefined, format: ChartFormat) =>
  value === null || value === undefined ? "–" : FORMATS[format].text(value);

interface Drawing {
  readonly palette: readonly string[];
  readonly count: number;
  readonly unit: StepUnit;
  readonly format: ChartFormat;
  readonly element: HTMLElement;
  readonly onHover: (index: number | undefined) => void;
}

function optionsFor({
  palette,
  count,
  unit,
  format,
  element,
  onHover,
}: Drawing): Omit<uPlot.Options, "width" | "height"> {
  const [ink, grid] = [resolveColor(element, "--ink-3"), resolveColor(element, "--line")];
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  return {
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "overview" } },
    // Figures are never negative, so the axis begins at 0. A chart without values needs a range for its axis.
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : FORMATS[format].empty] } },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { stroke: grid, size: 4 },
        size: 28,
        values: (_plot, splits) => formatTicks(splits, unit),
      },
      {
        stroke: ink,
        font,
        size: 58,
        space: 32,
        grid: { stroke: grid, width: 1 },
        ticks: { show: false },
        values: (_plot, splits) => splits.map(FORMATS[format].tick),
      },
    ],
    series: [
      {},
      ...Array.from({ length: count }, (_, index) => ({
        stroke: palette[index] ?? ink,
        width: 1.5,
        // A line needs two values, so a value without neighbors would be invisible.
        points: {
          show: true,
          size: 5,
          fill: palette[index] ?? ink,
          filter: (plot: uPlot, series: number) => findIsolated(plot.data[series] ?? []),
        },
        ...(count === 1 && { fill: `color-mix(in srgb, ${palette[index] ?? ink} 12%, transparent)` }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
  };
}

/** Returns the value of a custom property as a color for a canvas, which does not support `light-dark()`. */
function resolveColor(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const DARK = "(prefers-color-scheme: dark)";

function useDarkScheme(): boolean {
  const [isDark, setIsDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const look = () => setIsDark(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isDark;
}

const two = (part: number) => String(part).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats a step with its date: `Nov 3, 14:00` in local time, or `Nov 3` for a day in UTC. */
function formatStep(step: number, unit: StepUnit): string {
  const date = new Date(step);
  if (unit === "day") return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  return `${MONTHS[date.getMonth()]} ${date.getDate()}, ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats ticks in seconds since 1970: as times of day, but as dates at midnight and in charts by day. */
function formatTicks(ticks: readonly number[], unit: StepUnit): string[] {
  return ticks.map((tick) => {
    const date = new Date(tick * 1000);
    if (unit === "day") return formatStep(tick * 1000, unit);
    if (date.getHours() === 0 && date.getMinutes() === 0)
      return `${MONTHS[date.getMonth()]} ${date.getDate()}`;
    return `${two(date.getHours())}:${two(date.getMinutes())}`;
  });
}
